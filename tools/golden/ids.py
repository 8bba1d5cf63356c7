"""The ids and offsets of every vocabulary, split pattern, piece model and shape of tokenizer.json.

    encoding NAME    a bundled vocabulary         witness: tiktoken
    pattern NAME     a published split pattern    witness: tiktoken, with all pairs of bytes as tokens
    tekken NAME      a file of mistral-common     witness: mistral-common
    pieces NAME      a piece model                witness: sentencepiece
    json NAME        a tokenizer.json             witness: tokenizers

A digest that changes while the witness agrees says that the texts or the model have changed (their own digests tell),
or that the witness gives other ids than before, and so do we.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import mistral_common
import sentencepiece
import tiktoken
from mistral_common.tokens.tokenizers.tekken import Tekkenizer
from tokenizers import Tokenizer

from minbpe_course import (
    Encoding,
    SentencePieceTokenizer,
    get_encoding,
    load_tokenizer,
    use_bundled_vocabularies,
    vocabularies,
)
from minbpe_course.errors import SlowPattern
from minbpe_course.text import patterns
from tests.shared.huggingface_files import BLOOM_PATTERN, CLIP_PATTERN, DEEPSEEK_PATTERN, QWEN_PATTERN
from tests.shared.piece_cases import hostile_bytes
from tools.golden import Difference, models
from tools.golden.texts import all_texts, digest, rng_of
from tools.golden.texts import texts as made_texts

# By the first name of each pattern.
PATTERNS = {
    **{name: patterns.PATTERNS[name] for name in ("gpt2", "cl100k_base", "o200k_base")},
    "minbpe_gpt2": patterns.GPT2_SPLIT_PATTERN,
    "minbpe_gpt4": patterns.GPT4_SPLIT_PATTERN,
    "superwords": patterns.SUPERWORDS_PATTERN,
    "gpt2 release": patterns.GPT2_RELEASE_PATTERN,
    "cl100k_base first": patterns.CL100K_FIRST_PATTERN,
    "qwen": QWEN_PATTERN,
    "deepseek": DEEPSEEK_PATTERN,
    "bloom": BLOOM_PATTERN,
    "clip": CLIP_PATTERN,
    # Neither a scanner nor a table can run this one.
    "look-ahead of two": r"(?<=\d)\d{2}|\p{Han}+|\w(?=\w\s)|[^\s\w]+|\s+(?=\S)|.|\n",
}
TEKKEN = "tekken_240911.json"


def sections() -> list[str]:
    """Return the names of all that is compared."""
    return [
        *(f"encoding {name}" for name in vocabularies.names()),
        *(f"pattern {name}" for name in PATTERNS),
        f"tekken {TEKKEN}",
        *(f"pieces {name}" for name in models.PIECE_MODELS),
        *(f"json {name}" for name in models.DOCUMENTS),
    ]


def lines(section: str) -> list[str]:
    """Return the digests of the ids and offsets of one of ``sections``. Raises Difference."""
    kind, _, name = section.partition(" ")
    compare: dict[str, Callable[[str], list[str]]] = {
        "encoding": _of_encoding, "pattern": _of_pattern, "tekken": _of_tekken, "pieces": _of_pieces, "json": _of_json,
    }  # fmt: skip
    return compare[kind](name)


def agreed(what: str, texts: Sequence[str | bytes], ours: list[Any], theirs: list[Any]) -> str:
    """Return the line for results, one a text, which are lists. Raises Difference where they are not the same."""
    wrong = [place for place, (own, other) in enumerate(zip(ours, theirs, strict=True)) if own != other]
    if wrong:
        shown = min(wrong, key=lambda place: len(texts[place]))
        raise Difference(
            f"{what}: {len(wrong)} of {len(ours)} texts differ from the witness. The shortest of them:\n"
            f"  text    {texts[shown]!a}\n  ours    {ours[shown]}\n  witness {theirs[shown]}"
        )
    return f"{what}: {len(ours)} texts, {sum(map(len, ours))} in all, {digest(ours)}"


# ---- tiktoken


def _of_encoding(name: str) -> list[str]:
    use_bundled_vocabularies()
    return _as_tiktoken(get_encoding(name), tiktoken.get_encoding(name))


@cache
def _all_pairs() -> dict[bytes, int]:
    """Return ranks of all pairs of bytes, in any order.

    Tokens of a trained vocabulary never cross the cuts of its pattern, so few wrong cuts would change the ids. Here a
    cut anywhere does, almost every second time.
    """
    pairs = [bytes([left, right]) for left in range(256) for right in range(256)]
    rng_of("pairs").shuffle(pairs)
    return {token: rank for rank, token in enumerate([*(bytes([byte]) for byte in range(256)), *pairs])}


def _of_pattern(name: str) -> list[str]:
    names = ("<|endoftext|>", "<|end|>", "<s>", "    ")
    specials = {text: len(_all_pairs()) + number for number, text in enumerate(names)}
    options: Any = dict(pat_str=PATTERNS[name], mergeable_ranks=_all_pairs(), special_tokens=specials)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlowPattern)
        ours = Encoding(name, **options)
    return _as_tiktoken(ours, tiktoken.Encoding(name, **options))


def _as_tiktoken(ours: Encoding, theirs: tiktoken.Encoding) -> list[str]:
    texts, more = all_texts(), all_texts(surrogates=True)
    ids = ours.encode_batch(texts, allowed_special="all")
    found = [agreed("ids", texts, ids, theirs.encode_batch(texts, allowed_special="all"))]
    found.append(agreed("ordinary ids", more, ours.encode_ordinary_batch(more), theirs.encode_ordinary_batch(more)))
    special = made_texts()["special"]
    one: Any = dict(allowed_special={"<|endoftext|>"}, disallowed_special=())
    wanted = theirs.encode_batch(special, **one)
    found.append(agreed("ids, one special token allowed", special, ours.encode_batch(special, **one), wanted))
    found.append(agreed("ids or refused", special, _or_refused(ours, special), _or_refused(theirs, special)))
    offsets = [ours.decode_with_offsets(own)[1] for own in ids]
    return [*found, agreed("offsets", texts, offsets, [theirs.decode_with_offsets(own)[1] for own in ids])]


def _or_refused(encoding: Encoding | tiktoken.Encoding, texts: list[str]) -> list[list[int]]:
    """Return the ids of each text, no ids where a special token in it is refused."""
    found: list[list[int]] = []
    for text in texts:
        try:
            found.append(encoding.encode(text))
        except ValueError:
            found.append([])
    return found


def _of_tekken(name: str) -> list[str]:
    path = Path(mistral_common.__file__).parent / "data" / name
    ours, theirs = load_tokenizer(path), Tekkenizer.from_file(path)
    assert isinstance(ours, Encoding)
    texts = all_texts()
    wanted = [theirs.encode(text, bos=False, eos=False) for text in texts]
    return [agreed("ordinary ids", texts, ours.encode_ordinary_batch(texts), wanted)]


# ---- sentencepiece


@cache
def _as_bytes() -> list[bytes]:
    """Return the texts in UTF-8, those with surrogates too, and bytes that are not UTF-8."""
    rng = rng_of("bytes")
    return [text.encode("utf-8", "surrogatepass") for text in all_texts(True)] + [hostile_bytes(rng) for _ in range(99)]


def _of_pieces(name: str) -> list[str]:
    data = models.piece_model(name)
    if name in models.TRAINED and models.trained(models.TRAINED[name], by="sentencepiece") != data:
        raise Difference(
            f"sentencepiece {sentencepiece.__version__} and our trainer write different models from the same options.\n"
            "Either our trainer is wrong, or sentencepiece has changed its own."
        )
    ours, theirs = SentencePieceTokenizer(model_proto=data), sentencepiece.SentencePieceProcessor(model_proto=data)
    texts = _as_bytes()
    wanted = [list(message.pieces) for message in theirs.encode(texts, out_type="proto")]
    found = [
        f"model: {len(theirs)} pieces, {digest(data)}",
        agreed("ids", texts, ours.encode(texts), [[piece.id for piece in own] for own in wanted]),
        agreed("pieces", texts, ours.encode(texts, out_type=str), [[piece.piece for piece in own] for own in wanted]),
    ]
    ids = [[piece.id for piece in own] for own in wanted]
    found.append(agreed("decoded", texts, ours.decode(ids), theirs.decode(ids)))
    # Of every third text: they take longest.
    offsets = [ours.encode_with_offsets(text)[1] for text in texts[::3]]
    places = [[(piece.begin, piece.end) for piece in own] for own in wanted[::3]]
    return [*found, agreed("offsets", texts[::3], offsets, places)]


# ---- tokenizers


def _places(ours: SentencePieceTokenizer, texts: list[str], wanted: list[Any]) -> list[str]:
    found = [ours.encode(text, return_type="offset_mapping")["offsets"] for text in texts]
    return [agreed("offsets", texts, found, [each.offsets for each in wanted])]


def _of_json(name: str) -> list[str]:
    document = models.document(name)
    ours, theirs = load_tokenizer(Tokenizer.from_str(document)), Tokenizer.from_str(document)
    texts = all_texts()
    found = [f"file: {len(document)} characters, {digest(document)}"]
    encode = partial(theirs.encode_batch, add_special_tokens=False)
    wanted = encode(texts)
    wanted_ids = [each.ids for each in wanted]
    decoded = theirs.decode_batch(wanted_ids, skip_special_tokens=False)
    if isinstance(ours, SentencePieceTokenizer):
        # We give no offsets for these files, except those of WordPiece.
        pieces = [[theirs.id_to_token(number) for number in own] for own in wanted_ids]
        return [
            *found,
            agreed("ids", texts, ours.encode(texts), wanted_ids),
            agreed("pieces", texts, ours.encode(texts, out_type=str), pieces),
            agreed("decoded", texts, ours.decode(wanted_ids), decoded),
            *(_places(ours, texts, wanted) if ours.model.model_type == "wordpiece" else ()),
        ]
    assert isinstance(ours, Encoding)
    ids = ours.encode_batch(texts, allowed_special="all")
    found.append(agreed("ids", texts, ids, wanted_ids))
    found.append(agreed("decoded", texts, ours.decode_batch(ids), decoded))
    # Offsets are places in the decoded text, which is the text itself where no step changes it.
    whole = [place for place, text in enumerate(texts) if decoded[place] == text]
    if len(whole) > len(texts) / 2:
        offsets = [ours.decode_with_offsets(ids[place])[1] for place in whole]
        begins = [[begin for begin, _ in wanted[place].offsets] for place in whole]
        found.append(agreed("offsets", [texts[place] for place in whole], offsets, begins))
    # Plain added tokens are found even where special ones are not allowed.
    theirs.encode_special_tokens = True
    ordinary = [each.ids for each in encode(texts)]
    return [*found, agreed("ordinary ids", texts, ours.encode_ordinary_batch(texts), ordinary)]
