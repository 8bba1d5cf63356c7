"""The records of GGUF's vocabularies: what ``tokenizer.ggml.model`` says, and what llama.cpp makes of it.

    gpt2      byte-level BPE, a pattern by name           VocabularyModel, or BytePairModel
    llama     BPE over text by scores                     PieceModel with a pipeline; neighbours merge by the score of
                                                          the piece that they make
    gemma4    BPE over text by merges, line by line       PieceModel with a pipeline
    t5        Unigram                                     PieceModel with a pipeline; the normalizer is SentencePiece's
    bert      WordPiece                                   PieceModel with a pipeline

The ids are those of llama.cpp. It cuts control, unknown and user-defined tokens out of the text as it is, and every
part between them is a text of its own: it gets the space before it, if there is one. User-defined tokens are found in
every text, the others only where special tokens are parsed. It also decides by their texts that some tokens are control
tokens, whatever the file says.

Limits: where tokens overlap in a text, the leftmost is found first, then the longest; llama.cpp finds the longest of
all first. In the kind gpt2, a token that takes the white space beside it takes any of Unicode's, and llama.cpp only
that of ASCII. Characters of Unicode 15.1 and 16 are letters, numbers or signs here; llama.cpp has the tables of 15.0. A
file at whose texts llama.cpp would stop is refused, such as one of the kind llama without a token for some byte. In
the kind t5, llama.cpp also keeps the begin of a user-defined token where the table of replacements would change it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from minbpe_course.engines.as_byte_pairs import simplest
from minbpe_course.engines.byte_pair import IN_TEXTS
from minbpe_course.errors import InvalidModel, UnreadableModel, UnsupportedModel
from minbpe_course.formats.gguf_patterns import Splitting, splitting_named
from minbpe_course.formats.huggingface.vocabulary import Vocabulary
from minbpe_course.formats.huggingface_json import plain_record
from minbpe_course.formats.json_text import LARGEST_ID, Value
from minbpe_course.model import (
    BYTE,
    CONTROL,
    NORMAL,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    AddedToken,
    BytePairModel,
    NormalizerRules,
    PieceModel,
    PiecePipeline,
    VocabularyModel,
)
from minbpe_course.model.piece_rules import check_pieces
from minbpe_course.text.normalize import Charsmap

Model = BytePairModel | VocabularyModel | PieceModel
MARK = "▁"
UNDEFINED = 0

# Tokens that are control tokens by their text: those that end a generation, and those that fill in the middle unless
# the key says which it is.
_ENDS = (
    "<|eot_id|> <|im_end|> <|end|> <|return|> <|call|> <|flush|> <|calls|> <end_of_turn> <|endoftext|> </s> <|eom_id|> "
    "<EOT> _<EOT> [EOT] [EOS] <|end_of_text|> <end_of_utterance> <eos> <turn|> <|tool_response> <｜end▁of▁sentence｜> "
    "[e~["
)
_MIDDLES = {
    "fim_pre prefix": "<|fim_prefix|> <fim-prefix> <fim_prefix> <｜fim▁begin｜> <PRE> ▁<PRE> <|code_prefix|> "
    "<|prefix|>",
    "fim_suf suffix": "<|fim_suffix|> <fim-suffix> <fim_suffix> <｜fim▁hole｜> <SUF> ▁<SUF> <|code_suffix|> <|suffix|>",
    "fim_mid middle": "<|fim_middle|> <fim-middle> <fim_middle> <｜fim▁end｜> <MID> ▁<MID> <|code_middle|> <|middle|>",
    "fim_pad": "<|fim_pad|> <fim-pad> <fim_pad> <PAD> [PAD]",
    "fim_rep": "<|fim_repo|> <|repo_name|> <fim-repo> <REPO> <reponame>",
    "fim_sep": "<|file_sep|>",
}
_HARMONY = ("<|channel|>", "<|message|>", "<|start|>", "<|constrain|>")
_BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
_MOST_KINDS = 7


class Tokens(NamedTuple):
    """The tokens by id. added : those that are cut out of a text · special : those of them that are found only where
    special tokens are parsed."""

    texts: list[str]
    ids: dict[str, int]
    scores: np.ndarray
    kinds: list[int]
    added: tuple[AddedToken, ...]
    special: Collection[int]


class Kind(NamedTuple):
    """What llama.cpp assumes where the file says nothing: ids of bos, eos and the unknown token, and what is added."""

    make: Callable[[Value, Tokens, str | None], Model]
    bos: int | None
    eos: int | None
    add_bos: bool
    add_eos: bool


def record_of(header: Value, pattern: str | None = "") -> Model:
    """Return the record of a header. pattern : as in ``gguf.read``. Raises UnreadableModel, UnsupportedModel."""
    if "tokenizer.ggml.model" not in header:
        header.wrong(
            "no key 'tokenizer.ggml.model': the file has no vocabulary. If the model is in several files, the first "
            "has it (...-00001-of-....gguf)."
        )
    said = _get(header, "model")
    if said.text() not in _KINDS:
        said.unsupported(f"The kinds of vocabulary that are read are {', '.join(map(repr, _KINDS))}.")
    kind = _KINDS[said.value]
    if pattern != "" and said.value != "gpt2":
        said.unsupported("Only the kind 'gpt2' has a pattern that splits text; leave pattern out.")
    try:
        return kind.make(header, _tokens(header), pattern)
    except InvalidModel as error:
        raise UnsupportedModel(f"{header.name}: {error}") from error


def _get(header: Value, key: str) -> Value:
    return header.get(f"tokenizer.ggml.{key}")


# ----------------------------------------------------------------------------------------------------
# Tokens


def _tokens(header: Value) -> Tokens:
    listed = _get(header, "tokens")
    texts = [text or f"[EMPTY_{place}]" for place, text in enumerate(_strings(listed))]
    if not texts:
        listed.unreadable("the tokens")
    ids = {text: place for place, text in enumerate(texts)}
    if len(ids) < len(texts):
        place = next(place for place, text in enumerate(texts) if ids[text] != place)
        listed.wrong(f"the ids {place} and {ids[texts[place]]} have the same text, {texts[place]!r:.80}.")
    scores = _numbers(header, "scores", "fi", len(texts)).astype(np.float32)
    if not np.isfinite(scores).all():
        _get(header, "scores").wrong(f"entry {int(np.argmin(np.isfinite(scores)))} is not a finite number.")
    said = _numbers(header, "token_type", "i", len(texts), NORMAL)
    kinds = np.where((said >= 0) & (said < _MOST_KINDS), said, UNDEFINED).tolist()
    special = {place for place, kind in enumerate(kinds) if kind in (CONTROL, UNKNOWN)}
    special |= {ids[text] for text in _names_of_control_tokens(header) if text in ids}
    freed = [text for text in _HARMONY if text in ids]
    calls = ids.keys() & {"<|call|>", "<|calls|>"}
    if (calls and "<|flush|>" in ids) or (calls and "<|return|>" in ids):
        freed.append("<|end|>")
    for text in freed:
        if text in ids:
            special.discard(ids[text])
            kinds[ids[text]] = USER_DEFINED
    if "<|tool_response>" in ids and "</s>" in ids:
        special.discard(ids["</s>"])
        kinds[ids["</s>"]] = NORMAL
    cut = special.union(place for place, kind in enumerate(kinds) if kind == USER_DEFINED)
    left, right = _stripping(header, texts, cut)
    added = tuple(AddedToken(texts[at], at, False, at in left, at in right, at in left | right) for at in sorted(cut))
    return Tokens(texts, ids, scores, kinds, added, special)


def _strings(value: Value) -> list[str]:
    found = value.value
    if not isinstance(found, list):
        value.wrong("there must be a list of strings here." if found is not None else "the key is missing.")
    return found


def _numbers(header: Value, key: str, kinds: str, count: int, default: int = 0) -> np.ndarray:
    """Return the numbers of an array, one for each token. kinds : of its dtype."""
    value = _get(header, key)
    found = value.value
    if found is None:
        return np.full(count, default)
    if not isinstance(found, np.ndarray) or found.dtype.kind not in kinds or found.dtype.itemsize != 4:
        value.wrong("there must be an array of 32-bit numbers here.")
    if len(found) != count:
        value.wrong(f"{len(found):,} entries for {count:,} tokens.")
    return found


def _names_of_control_tokens(header: Value) -> set[str]:
    names = set(_ENDS.split())
    for keys, texts in _MIDDLES.items():
        if all(_get(header, f"{key}_token_id").value is None for key in keys.split()):
            names.update(texts.split())
    return names


def _stripping(header: Value, texts: list[str], cut: Collection[int]) -> tuple[set[int], set[int]]:
    """Return the tokens that take the white space before them, and after them. Names of models decide."""
    split, name, architecture = (
        each.value if isinstance(each.value, str) else ""
        for each in (_get(header, "pre"), header.get("general.name"), header.get("general.architecture"))
    )
    before, after = "", False
    if any(part in split for part in ("jina-v2-de", "jina-v2-es", "jina-v2-code")) or any(
        part in architecture for part in ("nomic-bert-moe", "jina-bert-v3")
    ):
        before = "<mask>"
    elif "phi-3" in name.lower() or "phi3" in name.lower():
        after = True
    elif "modern-bert" in name.lower():
        before = "[MASK]"
    left = {place for place in cut if texts[place] == before}
    right = {place for place in cut if after and texts[place] not in ("<unk>", "<s>", "<|endoftext|>")}
    return left, right


def _frame(header: Value, tokens: Tokens, add_bos: bool | None = None) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the ids that ``add_special`` puts around a text."""
    kind = _KINDS[_get(header, "model").text()]
    add_bos = _get(header, "add_bos_token").flag(kind.add_bos if add_bos is None else add_bos)
    add_eos = _get(header, "add_eos_token").flag(kind.add_eos)
    return _around(header, tokens, "bos", kind.bos, add_bos), _around(header, tokens, "eos", kind.eos, add_eos)


def _around(header: Value, tokens: Tokens, name: str, default: int | None, wanted: bool) -> tuple[int, ...]:
    found = _role(header, tokens, name, default)
    if wanted and found is None:
        _get(header, f"{name}_token_id").wrong(f"there is no such id, and add_{name}_token adds it to every text.")
    return (found,) if wanted and found is not None else ()


def _role(header: Value, tokens: Tokens, name: str, default: int | None) -> int | None:
    value = _get(header, f"{name}_token_id")
    said = default if value.value is None else value.whole(LARGEST_ID)
    said = default if said is not None and said >= len(tokens.texts) else said
    return None if said is None or said >= len(tokens.texts) else said


# ----------------------------------------------------------------------------------------------------
# Merges


def _merges(header: Value, tokens: Tokens) -> np.ndarray:
    """Return (left, right, made), uint32[n, 3]. Of a pair that is listed twice, the first place counts."""
    value = _get(header, "merges")
    made: dict[tuple[int, int], int] = {}
    ids = tokens.ids
    for place, text in enumerate(_strings(value)):
        at = text.find(" ", 1)
        left, right = text[:at], text[at + 1 :]
        try:
            made.setdefault((ids[left], ids[right]), ids[left + right])
        except KeyError as error:
            value.wrong(f"entry {place}, {text!r:.80}: there is no token {error.args[0]!r:.80}.")
    return np.array([(*pair, piece) for pair, piece in made.items()], dtype=np.uint32).reshape(-1, 3)


# ----------------------------------------------------------------------------------------------------
# Kinds


def _byte_level(header: Value, tokens: Tokens, pattern: str | None) -> Model:
    said = _get(header, "pre")
    name = "default" if not said.value else said.text()
    if name in _BY_LINES:
        return _lines(header, tokens, *_BY_LINES[name])
    known = pattern == ""
    splitting = splitting_named(name, header.name) if known else Splitting(())
    merges = _merges(header, tokens)
    added = [
        {
            "id": token.id,
            "content": token.content,
            "single_word": False,
            "lstrip": token.lstrip,
            "rstrip": token.rstrip,
            "normalized": False,
            "special": token.id in tokens.special,
        }
        for token in tokens.added
    ]
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    splits = [
        {"type": "Split", "pattern": {"Regex": one}, "behavior": "Isolated", "invert": False}
        for one in splitting.patterns
    ]
    document = {
        "version": "1.0",
        "added_tokens": added,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [*splits, level]},
        "decoder": level,
        "model": {"type": "BPE", "vocab": tokens.ids},
    }
    vocabulary = Vocabulary(tokens.ids, merges, splitting.whole_words, "", "")
    record = plain_record(Value(document, "$", header.name), vocabulary)
    apart = bool(IN_TEXTS.intersection(record.lacking))
    record = record.replace(frame=_frame(header, tokens, splitting.add_bos), fuse_unknown=apart, source="")
    return simplest(record if known else record.replace(pattern=pattern, pattern_engine=None))


def _pieces(
    header: Value, tokens: Tokens, pipeline: PiecePipeline, scores: np.ndarray, unknown: int | None, **more: Any
) -> PieceModel:
    kinds = [NORMAL if kind in (UNDEFINED, BYTE) else kind for kind in tokens.kinds]
    for place in tokens.special:
        kinds[place] = CONTROL
    if more.get("byte_fallback"):
        missing = [text for text in _BYTES if text not in tokens.ids]
        if missing:
            _get(header, "tokens").unsupported(
                f"{len(missing)} bytes have no token, for example {missing[0]}, and llama.cpp could not write them."
            )
        for text in _BYTES:
            kinds[tokens.ids[text]] = BYTE
    if unknown is not None:
        kinds[unknown] = UNKNOWN
    named: dict[str, Any] = {}
    for role, ids in zip(("bos_piece", "eos_piece"), pipeline.frame):
        if ids and kinds[ids[0]] == CONTROL:
            named[role] = tokens.texts[ids[0]]
    pipeline = replace(pipeline, unknown_is_special=unknown in tokens.special)
    return PieceModel(
        pieces=tuple(tokens.texts),
        scores=tuple(scores.tolist()),
        kinds=tuple(kinds),
        normalizer=NormalizerRules(add_dummy_prefix=False, remove_extra_whitespaces=False),
        pipeline=pipeline,
        **named,
        **more,
    )


def _scored(header: Value, tokens: Tokens, pattern: str | None) -> Model:
    prefix = _get(header, "add_space_prefix").flag(True)
    pipeline = PiecePipeline(
        len(tokens.texts),
        added=tokens.added,
        normalizer=(("Prepend", MARK), *_ESCAPED) if prefix else _ESCAPED,
        decoder=(*_DECODER, ("Strip", " ", 1, 0)) if prefix else _DECODER,
        frame=_frame(header, tokens),
    )
    # Of two equal scores, the left pair merges first, and -0.0 is as good as 0.0.
    unknown = _role(header, tokens, "unknown", 0)
    model = _pieces(header, tokens, pipeline, tokens.scores + np.float32(0), unknown, byte_fallback=True)
    # As the engine will, which takes any piece for text.
    check_pieces(model.pieces, model.scores, [kind if kind == BYTE else NORMAL for kind in model.kinds], "bpe", True)
    return model


def _lines(header: Value, tokens: Tokens, whole: bool, add_bos: bool) -> Model:
    merges = _merges(header, tokens)
    said = _get(header, "add_bos_token").flag(add_bos)
    bos = _around(header, tokens, "bos", _KINDS[_get(header, "model").text()].bos, said or add_bos)
    pipeline = PiecePipeline(
        len(tokens.texts),
        merges,
        added=tokens.added,
        normalizer=_ESCAPED,
        cutting=(("Lines", whole),),
        decoder=_DECODER,
        frame=(bos, _frame(header, tokens)[1]),
    )
    ranks = np.zeros(len(tokens.texts))
    ranks[merges[::-1, 2]] = -np.arange(len(merges), dtype=np.float64)[::-1]
    unknown = _role(header, tokens, "unknown", None)
    return _pieces(header, tokens, pipeline, ranks, unknown, byte_fallback=True)


def _gemma(header: Value, tokens: Tokens, pattern: str | None) -> Model:
    return _lines(header, tokens, *_BY_LINES["gemma4"])


def _unigram(header: Value, tokens: Tokens, pattern: str | None) -> Model:
    unknown = _role(header, tokens, "unknown", 2)
    if unknown is None:
        _get(header, "unknown_token_id").wrong("no token has this id, and characters without a piece need it.")
    prefix = _get(header, "add_space_prefix").flag()
    squeeze = _get(header, "remove_extra_whitespaces").flag()
    scores = tokens.scores.astype(np.float64)
    kinds = np.array(tokens.kinds)
    scores[kinds == USER_DEFINED] = 0.0
    scores[~np.isin(kinds, (NORMAL, USER_DEFINED, UNUSED))] = -np.inf
    pipeline = PiecePipeline(
        len(tokens.texts),
        scores=scores,
        added=tokens.added,
        normalizer=(("SentencePiece", _charsmap(header), prefix, squeeze),),
        decoder=(("Metaspace", MARK, prefix or squeeze),),
        frame=_frame(header, tokens),
    )
    return _pieces(header, tokens, pipeline, tokens.scores, unknown, model_type="unigram")


def _word_pieces(header: Value, tokens: Tokens, pattern: str | None) -> Model:
    unknown, cls, sep = (
        _role(header, tokens, name, default) for name, default in (("unknown", 100), ("bos", 101), ("seperator", 102))
    )
    if unknown is None or cls is None or sep is None:
        header.wrong("the ids of the tokens for unknown words, for the begin and for the end of a text are missing.")
    if MARK in tokens.ids:
        _get(header, "tokens").unsupported(f"The token {MARK!r}, after which llama.cpp goes on in the word.")
    pieces = [
        text[1:] if text.startswith(MARK) else text if text[0] == "[" and text[-1] == "]" else f"##{text}"
        for text in tokens.texts
    ]
    lower = _get(header, "normalizer.lowercase").flag(True)
    strip = _get(header, "normalizer.strip_accents").flag(lower)
    pipeline = PiecePipeline(
        len(pieces),
        added=tokens.added,
        normalizer=(("LlamaWords", lower, strip),),
        cutting=(("WhitespaceSplit",),),
        decoder=(("WordPiece", "##", True),),
        frame=((cls,), (sep,)),
        continuing_prefix="##",
        longest_word=LARGEST_ID,
    )
    return _pieces(header, tokens._replace(texts=pieces), pipeline, tokens.scores, unknown, model_type="wordpiece")


def _charsmap(header: Value) -> bytes:
    value = _get(header, "precompiled_charsmap")
    found = value.value
    if found is None:
        return b""
    if not isinstance(found, np.ndarray) or found.dtype.itemsize != 1:
        value.wrong("there must be an array of bytes here.")
    table: bytes = found.tobytes()
    try:
        Charsmap(table)
    except (UnreadableModel, ValueError) as error:
        value.wrong(f"not a table of SentencePiece's ({error}).")
    return table


_ESCAPED: tuple[tuple[Any, ...], ...] = (("Replace", "String", " ", MARK),)
_DECODER: tuple[tuple[Any, ...], ...] = (("Replace", "String", MARK, " "), ("ByteFallback",), ("Fuse",))
# Names of patterns for BPE over text -> whether a run of line breaks that is a token is taken whole, and whether bos is
# added whatever the file says.
_BY_LINES = {"gemma4": (True, True), "granite-embed-multi-311m": (True, True), "sarvam-moe": (False, False)}
_KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "gpt2": Kind(_byte_level, 11, 11, False, False),
        "llama": Kind(_scored, 1, 2, True, False),
        "gemma4": Kind(_gemma, None, None, True, False),
        "bert": Kind(_word_pieces, 101, None, True, False),
        "t5": Kind(_unigram, None, 1, False, True),
    }
)
