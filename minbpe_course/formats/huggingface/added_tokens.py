"""The added tokens of a tokenizer.json: what is cut out of a text before anything else, and the ids of it.

The ids that stand in the file are not the ones that `tokenizers` gives: it takes the id that the vocabulary has for the
text, and counts on from the size of the vocabulary for a text that is not in it. A file where the two differ is
refused; in a file that is written, the texts stand in the vocabulary as well where counting would not give their ids.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from minbpe_course.errors import UnsupportedModel
from minbpe_course.formats.huggingface.strict_json import Value


class AddedTokens(NamedTuple):
    """text -> id of all added tokens, and which of them stay when special tokens are skipped."""

    ids: dict[str, int]
    plain: frozenset[str]


def read_added_tokens(document: Value, vocabulary: Mapping[str, int], normalization: str | None) -> AddedTokens:
    """Read the added tokens. Raises UnreadableModel, UnsupportedModel."""
    value = document.get("added_tokens")
    ids: dict[str, int] = {}
    plain: set[str] = set()
    late: list[tuple[str, Value]] = []
    listed = value.items() if "added_tokens" in document else []
    for one in listed:
        text = one.get("content").text()
        if not text:
            one.get("content").unreadable("the text of the token")
        if text in ids:
            one.get("content").unreadable("a text that no added token before has")
        for flag in ("single_word", "lstrip", "rstrip"):
            if one.get(flag).required_flag():
                one.get(flag).unsupported("Such a token is found by what stands around it, which is not done here.")
        special = one.get("special").required_flag()
        if one.get("normalized").required_flag():
            late.append((text, one))
        ids[text] = one.get("id").token_id()
        if not special:
            plain.add(text)
    _check_late(late, ids.keys() - {text for text, _ in late}, normalization)
    given = ids_in_tokenizers(ids, vocabulary)
    for one, (text, token_id) in zip(listed, ids.items()):
        if given[text] != token_id:
            one.get("id").unsupported(
                f"tokenizers gives {text!r} the id {given[text]}, whatever stands here: the one in the vocabulary, or "
                "the next behind it. Say in $.model.vocab which is meant."
            )
    return AddedTokens(ids, frozenset(plain))


def _check_late(late: list[tuple[str, Value]], early: Iterable[str], normalization: str | None) -> None:
    """Tokens with "normalized" are looked for after all others, in text that has been normalized."""
    if late and normalization:
        late[0][1].get("normalized").unsupported(f"A token looked for in text after {normalization} is not done here.")
    starts = {begin for text in early for begin in (text[:k] for k in range(1, len(text) + 1))}
    for text, one in late:
        ends = (text[k:] for k in range(1, len(text)))
        if any(end in starts for end in ends) or any(other in text for other in early if len(other) < len(text)):
            one.get("normalized").unsupported(
                f"{text!r} is looked for after the tokens that are not normalized, and one of those may overlap it."
            )


def ids_in_tokenizers(texts: Iterable[str], vocabulary: Mapping[str, int]) -> dict[str, int]:
    """The ids that `tokenizers` gives to added tokens, in the order in which they stand in the file.

    >>> ids_in_tokenizers(["<a>", "b", "<c>"], {"a": 0, "b": 1})
    {'<a>': 2, 'b': 1, '<c>': 3}
    """
    given: dict[str, int] = {}
    largest = -1
    size = len(vocabulary)
    for text in texts:
        token_id = vocabulary.get(text, max(size, largest + 1))
        given[text] = token_id
        largest = max(largest, token_id)
    return given


# Writing


def added_documents(special_tokens: Mapping[str, int], plain: frozenset[str]) -> list[dict[str, Any]]:
    """The list of added tokens, by id."""
    return [
        {
            "id": int(token_id),
            "content": text,
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
            "special": text not in plain,
        }
        for text, token_id in sorted(special_tokens.items(), key=lambda item: item[1])
    ]


def enter_specials(vocabulary: dict[str, int], special_tokens: Mapping[str, int], characters: frozenset[str]) -> None:
    """Put special tokens into the vocabulary where their ids need it. characters : GPT-2's printable ones.

    Raises UnsupportedModel where the vocabulary has another token of the same spelling.
    """
    ordered = sorted(special_tokens.items(), key=lambda item: item[1])
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
                    f"the special token {text!r} needs a place in the vocabulary to keep its id {token_id}, and there "
                    "it would be taken for the bytes that it spells."
                )
            vocabulary[text] = token_id
