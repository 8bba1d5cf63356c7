r"""Filters that take out of a text what is hardly worth a token of a vocabulary: off unless they are asked for.

    "see https://a.io/x?id=9f for more\n"   --without_urls-->   "see  for more\n"

A filter is a function from str to str that sees one line with its line end at a time. So it never matters in which
blocks a file is read, and whoever writes one of his own needs no more than ``def mine(line): return ...``. It has to be
at the top of a module if other processes shall run it. Filters are named where counts are kept: ``name_of``.

Each says what it removes and what it harms, and none is for everything: code is ruined by most of them. Vocabularies
that were trained on cleaned text still have to encode what was taken out, only in more tokens.

Limits: a line of more than LONGEST bytes of UTF-8 is given to the filters in pieces, each cut behind the last space in
the second half of so many bytes, or else behind the last whole character. What a cut parts may not be recognised.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from types import MappingProxyType
from typing import TypeAlias

from minbpe_course.errors import UnknownFilter

Filter: TypeAlias = Callable[[str], str]

# Bytes of UTF-8 that a filter sees at once, at most.
LONGEST = 1 << 16

_URL = re.compile(r"(?<![A-Za-z0-9])(?:(?:https?|ftp)://|www\.)(?=[\w\[])[^\s<>\"|\\^`{}]+", re.IGNORECASE)
_BEHIND_URLS = ".,;:!?'*)]"

# As many digits as an MD5 has. Nothing can be tried again from the middle of a run, so long ones take no longer.
_HEX = re.compile(
    r"(?<![0-9A-Za-z])(?:0[xX])?[0-9A-Fa-f]{32,}(?![0-9A-Za-z])"
    r"|(?<![0-9A-Za-z])(?:[0-9A-Fa-f]{2}[ :]){15,}[0-9A-Fa-f]{2}(?![0-9A-Za-z])"
)
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{64,}={0,2}")
_KINDS = (re.compile("[A-Z]"), re.compile("[a-z]"), re.compile("[0-9]"))

_REPEATED = re.compile(r"([^\s\d])\1\1\1+")

# Looked for first, since that is quick, and hardly any line holds them.
_MAYBE_HEX = re.compile("[0-9A-Fa-f][0-9A-Fa-f](?:[0-9A-Fa-f]{30}|[ :](?:[0-9A-Fa-f]{2}[ :]){14})")
_FOUR = re.compile(r"(\S)\1\1\1")

_SPECIAL = re.compile(r"(<\|[^\s|<>]{1,64}\|>)")
_OF_A_RULE = frozenset("|-:+= \t")


def without_urls(line: str) -> str:
    """Remove addresses: http, https, ftp or www. and all behind it, up to the next blank, quote or bracket < >.

    A full stop, a comma or a closing bracket at the end belongs to the sentence and stays. Harms: pages about
    addresses; links in Markdown keep their words and lose their goal, ``[here]()``.

    >>> without_urls("see https://a.io/x?id=9f, or www.b.org.")
    'see , or .'
    """
    if "://" not in line and "www." not in line.lower():
        return line
    return _URL.sub(_behind_url, line)


def without_hex(line: str) -> str:
    """Remove numbers of 32 and more hexadecimal digits, with or without 0x, and dumps of 16 and more bytes in a row.

    Hashes, keys and dumps of memory. Harms: very long decimal numbers are such digits, too.

    >>> without_hex("md5 9e107d9d372bb6826bd81d3542a419d6 of it")
    'md5  of it'
    """
    if len(line) < 32 or _MAYBE_HEX.search(line) is None:
        return line
    return _HEX.sub("", line)


def without_base64(line: str) -> str:
    """Remove runs of 64 and more characters of base64 (``A-Z a-z 0-9 + / - _``, padding) that hold both cases and a
    digit.

    Pictures and keys inside pages and notebooks. Harms: paths and names as long as that, without a dot or a blank.

    >>> without_base64("key: " + "aGVsbG8gd29ybGQ0" * 4 + "== end")
    'key:  end'
    """
    return line if len(line) < 64 else _BASE64.sub(_unless_a_word, line)


def without_repeats(line: str) -> str:
    """Leave three of four and more equal characters in a row, unless they are digits or blanks.

    "!!!!!!!" and "======" are one thing each, and would become a token for each length. Harms: rules and boxes drawn
    with characters, and whatever says something by such a length; "aaaargh" is shorter.

    >>> without_repeats("Nooooooo!!!!! 1000000 .....")
    'Nooo!!! 1000000 ...'
    """
    return line if _FOUR.search(line) is None else _REPEATED.sub(r"\1\1\1", line)


def without_pipes(line: str) -> str:
    """Put one space where pipes are, with the blanks round them, and leave out what rules a table: ``|---|:-:|``.

    The cells of tables stay. What looks like a special token stays, too: ``<|end|>``. Harms: programs and shells, where
    a pipe means something.

    >>> without_pipes("| a | b<|end|> |\\n"), without_pipes("|---|:-:|\\n")
    ('a b<|end|>\\n', '\\n')
    """
    if "|" not in line:
        return line
    body, end = (line[:-1], "\n") if line.endswith("\n") else (line, "")
    if _OF_A_RULE.issuperset(body):
        return end
    # Special tokens are every second.
    parts = _SPECIAL.split(body)
    for at in range(0, len(parts), 2):
        first, *others = parts[at].split("|")
        if others:
            last = others.pop()
            cells = [cell for each in others if (cell := each.strip(" \t"))]
            parts[at] = " ".join([first.rstrip(" \t"), *cells, last.lstrip(" \t")])
    found = "".join(parts)
    # What stood between a pipe and the edge of the line keeps nothing apart.
    if body.lstrip(" \t").startswith("|"):
        found = found.lstrip(" \t")
    if body.rstrip(" \t").endswith("|"):
        found = found.rstrip(" \t")
    return found + end


def without_extra_whitespace(line: str) -> str:
    """Make one space of all blanks in a row, and none at the beginning of a line and before its end.

    Tabs, spaces of other widths and the carriage return of Windows are blanks; lines stay lines. Harms: programs, whose
    indentation is gone, tables in columns, verse.

    >>> without_extra_whitespace("  low \\t lower  \\r\\n")
    'low lower\\n'
    """
    found = " ".join(line.split())
    if line.endswith("\n"):
        return found + "\n"
    # The line may go on: what follows is not to be joined to it.
    return found + " " if line and line[-1].isspace() else found


FILTERS = MappingProxyType(
    {
        "urls": without_urls,
        "hex": without_hex,
        "base64": without_base64,
        "repeats": without_repeats,
        "pipes": without_pipes,
        "whitespace": without_extra_whitespace,
    }
)
_NAMES: dict[Filter, str] = {function: name for name, function in FILTERS.items()}


class compose:
    """A filter that applies several, one after the other; it can be pickled if they can.

    >>> tidy = compose(without_urls, without_extra_whitespace)
    >>> tidy("see  https://a.io  now\\n"), tidy.name
    ('see now\\n', 'urls+whitespace')
    """

    def __init__(self, *filters: Filter | str) -> None:
        self.filters = filters_of(filters)
        self.name = "+".join(map(name_of, self.filters))

    def __call__(self, line: str) -> str:
        for each in self.filters:
            line = each(line)
        return line

    def __repr__(self) -> str:
        return f"compose({', '.join(map(name_of, self.filters))})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, compose) and self.filters == other.filters

    def __hash__(self) -> int:
        return hash(self.filters)


def filters_of(given: str | Filter | Iterable[str | Filter]) -> tuple[Filter, ...]:
    """Return the filters that names, functions, or several of both stand for. Raises UnknownFilter.

    >>> [name_of(each) for each in filters_of(["urls,hex", str.strip])]
    ['urls', 'hex', 'str.strip']
    """
    if isinstance(given, str):
        return tuple(_named(name.strip()) for name in given.split(",") if name.strip())
    if callable(given):
        return (given,)
    if not isinstance(given, Iterable):
        raise UnknownFilter(f"a filter is a function from str to str, or a name; got {type(given).__name__}.")
    found: list[Filter] = []
    for each in given:
        if not isinstance(each, str) and not callable(each):
            raise UnknownFilter(f"a filter is a function from str to str, or a name; got {type(each).__name__}.")
        found += filters_of(each)
    return tuple(found)


def name_of(cleaner: Filter) -> str:
    """Return what a filter is called where counts are kept: one of FILTERS, its attribute ``name``, or its own name.

    >>> name_of(without_urls), name_of(str.strip)
    ('urls', 'str.strip')
    """
    if isinstance(cleaner, partial):
        said = ", ".join([*map(repr, cleaner.args), *(f"{name}={value!r}" for name, value in cleaner.keywords.items())])
        return f"{name_of(cleaner.func)}({said})"
    known = _NAMES.get(cleaner) if getattr(cleaner, "__module__", None) == __name__ else None
    return str(known or getattr(cleaner, "name", None) or getattr(cleaner, "__qualname__", type(cleaner).__qualname__))


def clean_text(text: str, filters: Iterable[Filter]) -> str:
    """Return a document with each of its lines cleaned by all filters, one after the other. Raises UnknownFilter.

    >>> clean_text("a  b\\n\\n c", [without_extra_whitespace])
    'a b\\n\\nc'
    """
    *lines, last = text.split("\n")
    found = [line + "\n" for line in lines]
    if last:
        found.append(last)
    # A character has up to four bytes.
    if max(map(len, found), default=0) > LONGEST // 4:
        found = [piece for line in found for piece in _line_pieces(line)]
    for each in filters:
        found = list(map(each, found))
        for kind in set(map(type, found)):
            if not issubclass(kind, str):
                raise UnknownFilter(f"the filter {name_of(each)} gave {kind.__name__} for a line, and must give str.")
    return "".join(found)


def first_piece(line: bytes) -> int:
    """Return how many bytes of a line of more than LONGEST are the first piece that filters see."""
    space = line.rfind(b" ", LONGEST // 2, LONGEST)
    if space >= 0:
        return space + 1
    end = LONGEST
    while end > LONGEST - 4 and line[end] & 0xC0 == 0x80:
        end -= 1
    return end


def _line_pieces(line: str) -> Iterator[str]:
    data = line.encode("utf-8", "surrogatepass")
    while len(data) > LONGEST:
        cut = first_piece(data)
        yield data[:cut].decode("utf-8", "surrogatepass")
        data = data[cut:]
    yield data.decode("utf-8", "surrogatepass")


def _named(name: str) -> Filter:
    try:
        return FILTERS[name]
    except KeyError:
        raise UnknownFilter(f"there is no filter {name!r}. There are: {', '.join(FILTERS)}.") from None


def _behind_url(found: re.Match[str]) -> str:
    url = found.group()
    kept = url.rstrip(_BEHIND_URLS)
    behind = url[len(kept) :]
    # A bracket that the address itself has opened belongs to it.
    closed = min(kept.count("(") - kept.count(")"), len(behind) - len(behind.lstrip(")")))
    return behind[max(closed, 0) :]


def _unless_a_word(found: re.Match[str]) -> str:
    run = found.group()
    return "" if all(kind.search(run) for kind in _KINDS) else run
