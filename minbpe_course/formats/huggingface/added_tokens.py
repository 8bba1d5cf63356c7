"""The added tokens of a tokenizer.json: texts that are cut out before anything else, and their ids.

`tokenizers` ignores the ids in the file. It uses the id that the vocabulary has for the text; texts that are not in the
vocabulary are numbered from its size on. Two tokens can get the same id that way, and then only the last of them is
found in texts. The reader refuses a file whose ids differ from these. The writer adds a text to the vocabulary if
`tokenizers` would give it another id otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from minbpe_course.errors import UnsupportedModel
from minbpe_course.formats.json_text import Value
from minbpe_course.model.vocabulary import SPECIAL_FLAGS
from minbpe_course.text.normalizer_steps import normalizer
from minbpe_course.text.special_places import Finder


class AddedTokens(NamedTuple):
    """ids : text -> id · plain : those that are not special · flags : text -> flags."""

    ids: dict[str, int]
    plain: frozenset[str]
    flags: dict[str, tuple[str, ...]]


def read_added_tokens(document: Value, vocabulary: Mapping[str, int], normalization: tuple[Any, ...]) -> AddedTokens:
    """Read the added tokens. Raises UnreadableModel, UnsupportedModel."""
    listed = document.get("added_tokens").items() if "added_tokens" in document else []
    given = ids_in_tokenizers([_content(one) for one in listed], vocabulary)
    last: dict[int, str] = {}
    flags: dict[str, tuple[str, ...]] = {}
    special: dict[str, bool] = {}
    for one in listed:
        text = one.get("content").text()
        token_id = one.get("id").token_id()
        if given[text] != token_id:
            one.get("id").unsupported(
                f"tokenizers gives {text!r} the id {given[text]}: the one in the vocabulary, or the next free one. "
                "To keep the other id, add the token to $.model.vocab."
            )
        flags[text] = tuple(flag for flag in SPECIAL_FLAGS if one.get(flag).required_flag())
        # A text that is listed twice is special if either entry is.
        special[text] = one.get("special").required_flag() or special.get(text, False)
        last[token_id] = text
    found = {text: token_id for text, token_id in given.items() if last[token_id] == text}
    flags = {text: flags[text] for text in found}
    if not (normalization or _depend_on_the_order(flags)):
        flags = dict.fromkeys(flags, ())
    _check_normal_forms(listed, flags, normalization)
    plain = frozenset(text for text in found if not special[text])
    return AddedTokens(found, plain, {text: said for text, said in flags.items() if said})


def _content(one: Value) -> str:
    text = one.get("content").text()
    if not text:
        one.get("content").unreadable("the text of the token")
    return text


def _depend_on_the_order(flags: Mapping[str, tuple[str, ...]]) -> bool:
    """Tell whether it matters that tokens with "normalized" are searched after all others."""
    if any(set(said) - {"normalized"} for said in flags.values()):
        return True
    late = [text for text, said in flags.items() if said]
    early = flags.keys() - set(late)
    # Only tokens that may overlap in a text get in each other's way.
    return any(map(Finder(late).overlaps, early)) or any(map(Finder(early).overlaps, late))


def _check_normal_forms(
    listed: list[Value], flags: Mapping[str, tuple[str, ...]], normalization: tuple[Any, ...]
) -> None:
    """Refuse tokens whose normalized texts are equal or empty, as tokenizers does."""
    normalize = normalizer(normalization)
    taken: dict[str, str] = {}
    known: dict[int, str] = {}
    for one in listed:
        text, token_id = one.value["content"], one.value["id"]
        if not one.value["normalized"]:
            continue
        normal = normalize(text)
        if normal != text:
            known[token_id] = normal
        if "normalized" not in flags.get(text, ()):
            continue
        if known.get(token_id, normal) != normal:
            one.get("content").unsupported(
                f"tokenizers searches for {known[token_id]!r:.60} instead, the normalized text of an earlier token "
                "with this id. Give each token its own id."
            )
        if not normal or taken.setdefault(normal, text) != text:
            other = f"that of {taken[normal]!r:.60}" if normal else "empty"
            one.get("content").unreadable(f"a token with a normalized text of its own; that of {text!r:.60} is {other}")


def ids_in_tokenizers(texts: Iterable[str], vocabulary: Mapping[str, int]) -> dict[str, int]:
    """Return the ids that `tokenizers` gives to added tokens, listed as in the file.

    >>> ids_in_tokenizers(["<a>", "b", "<c>"], {"a": 0, "b": 1})
    {'<a>': 2, 'b': 1, '<c>': 3}
    """
    given: dict[str, int] = {}
    following = len(vocabulary)
    for text in texts:
        if text in given:
            continue
        given[text] = vocabulary.get(text, following)
        following += text not in vocabulary
    return given


# Writing


def added_documents(
    special_tokens: Mapping[str, int], plain: frozenset[str], flags: Mapping[str, tuple[str, ...]]
) -> list[dict[str, Any]]:
    """Return the list of added tokens, by id."""
    return [
        {
            "id": int(token_id),
            "content": text,
            **{flag: flag in flags.get(text, ()) for flag in ("single_word", "lstrip", "rstrip", "normalized")},
            "special": text not in plain,
        }
        for text, token_id in sorted(special_tokens.items(), key=lambda item: item[1])
    ]


def enter_specials(vocabulary: dict[str, int], special_tokens: Mapping[str, int], characters: frozenset[str]) -> None:
    """Add special tokens to the vocabulary if they need it to keep their ids. characters : GPT-2's printable ones.

    Raises UnsupportedModel if the vocabulary has another token of the same spelling, or two texts share an id.
    """
    ordered = sorted(special_tokens.items(), key=lambda item: item[1])
    for (one, token_id), (other, other_id) in pairwise(ordered):
        if token_id == other_id:
            raise UnsupportedModel(
                f"the special tokens {one!r:.60} and {other!r:.60} share the id {token_id}, and tokenizers finds "
                "only one of them."
            )
    for text, token_id in ordered:
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            raise UnsupportedModel(f"the special token {text!r} has no UTF-8 form.") from None
        if vocabulary.get(text, token_id) != token_id:
            raise UnsupportedModel(
                f"the special token {text!r} with the id {token_id} is spelled like the ordinary token with the id "
                f"{vocabulary[text]}, and tokenizers would give it that id."
            )
    given = ids_in_tokenizers([text for text, _ in ordered], vocabulary)
    if all(given[text] == token_id for text, token_id in ordered):
        return
    for text, token_id in ordered:
        if text not in vocabulary:
            if characters.issuperset(text) and not text.isascii():
                raise UnsupportedModel(
                    f"the special token {text!r} must be in the vocabulary to keep its id {token_id}, and there it "
                    "would be read as the bytes that it spells."
                )
            vocabulary[text] = token_id
