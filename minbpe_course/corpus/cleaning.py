r"""Filters that remove text that is not worth a token; none is applied by default.

    "see https://a.io/x?id=9f for more\n"   --without_urls-->   "see  for more\n"

A filter is a function from str to str that gets one line at a time, with its line end. So it does not matter how a file
is read in blocks, and a new filter is no more than ``def mine(line): return ...``. To run in other processes, it has to
be defined at the top level of a module. Counts files record the names of filters: see ``name_of``.

Each docstring says what the filter removes and what it harms; most of them ruin code. A vocabulary trained on cleaned
text can still encode what was removed, with more tokens.

Limits: a line of more than LONGEST bytes of UTF-8 goes to the filters in pieces, each cut after the last space in the
second half of that many bytes, or else after the last whole character. A filter may not recognise what a cut divides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from types import MappingProxyType
from typing import TypeAlias

from minbpe_course.errors import UnknownFilter

Filter: TypeAlias = Callable[[str], str]

# The most bytes of UTF-8 that a filter gets at once.
LONGEST = 1 << 16

_URL = re.compile(r"(?<![A-Za-z0-9])(?:(?:https?|ftp)://|www\.)(?=[\w\[])[^\s<>\"|\\^`{}]+", re.IGNORECASE)
_AFTER_URLS = ".,;:!?'*)]"

# As many digits as an MD5. The look-behind keeps the search from starting in the middle of a run, so it stays linear.
_HEX = re.compile(
    r"(?<![0-9A-Za-z])(?:0[xX])?[0-9A-Fa-f]{32,}(?![0-9A-Za-z])"
    r"|(?<![0-9A-Za-z])(?:[0-9A-Fa-f]{2}[ :]){15,}[0-9A-Fa-f]{2}(?![0-9A-Za-z])"
)
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{64,}={0,2}")
_KINDS = (re.compile("[A-Z]"), re.compile("[a-z]"), re.compile("[0-9]"))

_REPEATED = re.compile(r"([^\s\d])\1\1\1+")

# Quick first tests: few lines pass them.
_MAYBE_HEX = re.compile("[0-9A-Fa-f][0-9A-Fa-f](?:[0-9A-Fa-f]{30}|[ :](?:[0-9A-Fa-f]{2}[ :]){14})")
_FOUR = re.compile(r"(\S)\1\1\1")

_SPECIAL = re.compile(r"(<\|[^\s|<>]{1,64}\|>)")
_RULE = frozenset("|-:+= \t")


def without_urls(line: str) -> str:
    """Remove URLs: http, https, ftp or www. and everything up to the next space, quote or bracket < >.

    A full stop, a comma or a closing bracket at the end belongs to the sentence and stays. Harms: pages about URLs;
    links in Markdown keep their words and lose their target, ``[here]()``.

    >>> without_urls("see https://a.io/x?id=9f, or www.b.org.")
    'see , or .'
    """
    if "://" not in line and "www." not in line.lower():
        return line
    return _URL.sub(_after_url, line)


def without_hex(line: str) -> str:
    """Remove numbers of 32 or more hexadecimal digits, with or without 0x, and dumps of 16 or more bytes.

    These are hashes, keys and memory dumps. Harms: very long decimal numbers, which look the same.

    >>> without_hex("md5 9e107d9d372bb6826bd81d3542a419d6 of it")
    'md5  of it'
    """
    if len(line) < 32 or _MAYBE_HEX.search(line) is None:
        return line
    return _HEX.sub("", line)


def without_base64(line: str) -> str:
    """Remove runs of 64 or more characters of base64 (``A-Z a-z 0-9 + / - _``, padding) with both cases and a digit.

    These are pictures and keys in pages and notebooks. Harms: paths and names of that length without a dot or a space.

    >>> without_base64("key: " + "aGVsbG8gd29ybGQ0" * 4 + "== end")
    'key:  end'
    """
    return line if len(line) < 64 else _BASE64.sub(_unless_a_word, line)


def without_repeats(line: str) -> str:
    """Shorten runs of four or more equal characters to three, except digits and whitespace.

    "!!!!!!!" and "======" mean the same at each length, but would become a token for each. Harms: rules and boxes drawn
    with characters, and text where the length has a meaning.

    >>> without_repeats("Nooooooo!!!!! 1000000 .....")
    'Nooo!!! 1000000 ...'
    """
    return line if _FOUR.search(line) is None else _REPEATED.sub(r"\1\1\1", line)


def without_pipes(line: str) -> str:
    """Replace each pipe and the spaces around it by one space, and remove the rules of tables: ``|---|:-:|``.

    The cells of tables stay, and so does anything like a special token: ``<|end|>``. Harms: programs and shell
    commands, where a pipe has a meaning.

    >>> without_pipes("| a | b<|end|> |\\n"), without_pipes("|---|:-:|\\n")
    ('a b<|end|>\\n', '\\n')
    """
    if "|" not in line:
        return line
    body, end = (line[:-1], "\n") if line.endswith("\n") else (line, "")
    if _RULE.issuperset(body):
        return end
    # Every second part is a special token.
    parts = _SPECIAL.split(body)
    for at in range(0, len(parts), 2):
        first, *others = parts[at].split("|")
        if others:
            last = others.pop()
            cells = [cell for each in others if (cell := each.strip(" \t"))]
            parts[at] = " ".join([first.rstrip(" \t"), *cells, last.lstrip(" \t")])
    found = "".join(parts)
    # At the edge of the line no space is needed.
    if body.lstrip(" \t").startswith("|"):
        found = found.lstrip(" \t")
    if body.rstrip(" \t").endswith("|"):
        found = found.rstrip(" \t")
    return found + end


def without_extra_whitespace(line: str) -> str:
    """Replace each run of whitespace by one space, and remove it at the beginning and the end of a line.

    Whitespace includes tabs, wide spaces and the carriage return of Windows; line ends stay. Harms: programs, which
    lose their indentation, tables in columns, verse.

    >>> without_extra_whitespace("  low \\t lower  \\r\\n")
    'low lower\\n'
    """
    found = " ".join(line.split())
    if line.endswith("\n"):
        return found + "\n"
    # Only a piece of a line: the next piece must not be joined to it.
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
    """A filter that applies several filters in order; it can be pickled if they can.

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
    """Return the filters for a name, a function, or several of both. Raises UnknownFilter.

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
    """Return the name of a filter for counts files: its name in FILTERS, its attribute ``name``, or its function name.

    >>> name_of(without_urls), name_of(str.strip)
    ('urls', 'str.strip')
    """
    if isinstance(cleaner, partial):
        said = ", ".join([*map(repr, cleaner.args), *(f"{name}={value!r}" for name, value in cleaner.keywords.items())])
        return f"{name_of(cleaner.func)}({said})"
    known = _NAMES.get(cleaner) if getattr(cleaner, "__module__", None) == __name__ else None
    return str(known or getattr(cleaner, "name", None) or getattr(cleaner, "__qualname__", type(cleaner).__qualname__))


def clean_text(text: str, filters: Iterable[Filter]) -> str:
    """Return a document after all filters were applied, in order, to each of its lines. Raises UnknownFilter.

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
                raise UnknownFilter(
                    f"the filter {name_of(each)} returned {kind.__name__} for a line; it must return str."
                )
    return "".join(found)


def first_piece(line: bytes) -> int:
    """Return how many bytes of a line longer than LONGEST are the first piece for the filters."""
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
        raise UnknownFilter(f"there is no filter {name!r}. The filters are: {', '.join(FILTERS)}.") from None


def _after_url(found: re.Match[str]) -> str:
    url = found.group()
    kept = url.rstrip(_AFTER_URLS)
    after = url[len(kept) :]
    # A closing bracket belongs to the URL if the URL has the opening one.
    closed = min(kept.count("(") - kept.count(")"), len(after) - len(after.lstrip(")")))
    return after[max(closed, 0) :]


def _unless_a_word(found: re.Match[str]) -> str:
    run = found.group()
    return "" if all(kind.search(run) for kind in _KINDS) else run
