"""Find out which special tokens are allowed in a text, by the rules of minbpe and of tiktoken.

Where one special token begins with another, the longest that fits always wins. tiktoken takes the first in the
iteration order of a hash table, allowed or not, so a token that is not allowed can hide one that is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from minbpe_course.errors import DisallowedSpecialToken, InvalidSpecialToken
from minbpe_course.text.special_places import find_special_token


def allowed_for_minbpe(
    text: str, allowed_special: str | Collection[str], special_tokens: Mapping[str, int]
) -> Mapping[str, int]:
    """Return the special tokens that ``allowed_special`` allows, by minbpe's rules.

    ``"all"``: every special token. ``"none"``: none, their text is ordinary text. ``"none_raise"``: none, and
    DisallowedSpecialToken is raised if ``text`` contains one. A set, list or tuple: those, and the others are ordinary
    text; unknown names are ignored. Anything else raises InvalidSpecialToken.

    >>> allowed_for_minbpe("a<|end|>", {"<|end|>"}, {"<|end|>": 300, "<|pad|>": 301})
    {'<|end|>': 300}
    >>> allowed_for_minbpe("a<|end|>", "none", {"<|end|>": 300})
    {}
    """
    if isinstance(allowed_special, str):
        if allowed_special == "all":
            return special_tokens
        if allowed_special == "none_raise":
            found = find_special_token(text, special_tokens)
            if found is not None:
                raise DisallowedSpecialToken(_minbpe_message(text, *found))
        elif allowed_special != "none":
            raise InvalidSpecialToken(
                f"allowed_special={allowed_special!r} is not understood.\n"
                'Say "all", "none", "none_raise", or give a set of special tokens, '
                f"for example allowed_special={{{allowed_special!r}}}."
            )
        return {}
    return _chosen(allowed_special, special_tokens)


def allowed_for_tiktoken(
    text: str,
    allowed_special: str | Collection[str],
    disallowed_special: str | Collection[str],
    special_tokens: Mapping[str, int],
) -> Mapping[str, int]:
    """Return the special tokens that are allowed, by tiktoken's rules.

    ``allowed_special`` is ``"all"`` or names. ``disallowed_special`` is ``"all"`` (every special token that is not
    allowed), or strings that must not occur in ``text``; ``()`` checks nothing. DisallowedSpecialToken is raised where
    one occurs, even one that is allowed as well, if it is named in both. A special token that is neither is ordinary
    text. InvalidSpecialToken is raised for an argument that is neither ``"all"`` nor a collection of strings.

    >>> allowed_for_tiktoken("a<|end|>", set(), (), {"<|end|>": 300})
    {}
    >>> allowed_for_tiktoken("a<|end|>", {"<|end|>"}, "all", {"<|end|>": 300})
    {'<|end|>': 300}
    """
    everything = isinstance(allowed_special, str) and allowed_special == "all"
    allowed = special_tokens if everything else _chosen(allowed_special, special_tokens)
    disallowed: Collection[str]
    if not (isinstance(disallowed_special, str) and disallowed_special == "all"):
        disallowed = disallowed_special and _names(disallowed_special, "disallowed_special")
    elif everything:
        disallowed = ()
    else:
        # Most calls allow nothing; then a difference of a thousand names would waste time.
        disallowed = special_tokens.keys() - allowed.keys() if allowed else special_tokens
    if disallowed:
        found = find_special_token(text, disallowed)
        if found is not None:
            raise DisallowedSpecialToken(_tiktoken_message(text, *found))
    return allowed


def _chosen(wanted: object, special_tokens: Mapping[str, int]) -> Mapping[str, int]:
    return {name: special_tokens[name] for name in _names(wanted, "allowed_special") if name in special_tokens}


def _names(wanted: object, argument: str) -> frozenset[str]:
    if isinstance(wanted, str):
        raise InvalidSpecialToken(
            f"{argument}={wanted!r} is one string; a set of strings is expected.\n"
            f'Say {argument}={{{wanted!r}}} for this one token, or {argument}="all".'
        )
    if not isinstance(wanted, Iterable) or isinstance(wanted, (bytes, bytearray)):
        raise InvalidSpecialToken(f'{argument} must be "all" or a set of special tokens, got {wanted!r}.')
    wanted = list(wanted)
    for name in wanted:
        if not isinstance(name, str):
            raise InvalidSpecialToken(f"{argument} must contain special tokens as str, got {name!r}.")
    return frozenset(wanted)


def _minbpe_message(text: str, start: int, name: str) -> str:
    return (
        f"{_where(text, start, name)}\n"
        f"If it is meant as a special token, say so: allowed_special={{{name!r}}}, "
        'or allowed_special="all" for every one.\n'
        'If it is ordinary text, as anything written by a stranger is, say: allowed_special="none".'
    )


def _tiktoken_message(text: str, start: int, name: str) -> str:
    return (
        f"{_where(text, start, name)}\n"
        f"If it is meant as a special token, say so: allowed_special={{{name!r}}}.\n"
        f"If this one is ordinary text, say: disallowed_special=(enc.special_tokens_set - {{{name!r}}}).\n"
        "If every special token in the text is ordinary text, say: disallowed_special=()."
    )


def _where(text: str, start: int, name: str) -> str:
    around = text[max(0, start - 20) : start + len(name) + 20]
    return f"the text contains the special token {name!r} at character {start:,}, in {around!r}."
