r"""The normalizer of a tokenizer.json: steps that change text before it is split into words.

    ("NFC",) ("NFD",) ("NFKC",) ("NFKD",)    Unicode's normal forms
    ("Nmt",)                                 removes control characters; rare white space, ▁ and others become spaces
    ("Lowercase",)                           each character by itself
    ("Replace", "Regex", r"\s+", " ")        replaces what a pattern matches, or "String" and a text
    ("Prepend", "x")                         before every text that is not empty
    ("Strip", True, True)                    white space on the left, on the right
    ("Precompiled", b"...")                  a table of SentencePiece's
    ("SentencePiece", b"...", True, False)   the table as SentencePiece itself applies it, a space before the text?,
                                             one space before each word and no other?; then spaces become ▁
    ("LlamaWords", True, True)               llama.cpp's for WordPiece, which cuts words, too: lowercase, strip_accents
    ("StripAccents",)                        removes marks
    ("Bert", True, True, False, True)        clean_text: removes control characters, white space becomes a space;
                                             handle_chinese_chars: a space on each side; strip_accents; lowercase

No step makes a text longer than ``longest`` allows, because a few steps in a file could fill any memory.

Each step does what `tokenizers` 0.23 does. Its normal forms are those of Unicode 9: characters added since then stay as
they are, even where a later Unicode would compose them. It lowercases by Unicode 17. It applies a Precompiled table to
grapheme clusters, and uses the shortest rule that matches, where sentencepiece uses the longest.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache, lru_cache, partial
from itertools import accumulate
from operator import itemgetter
from typing import Any, Literal, cast, get_args

import numpy as np
import regex

from minbpe_course.errors import InvalidText
from minbpe_course.text import code_points, unicode_tables
from minbpe_course.text.normalize import Charsmap
from minbpe_course.text.pattern_reading import TIKTOKEN
from minbpe_course.text.regex_runner import span_finder
from minbpe_course.text.unicode_tables import ACCENT, ANY_MARK, REMOVED, WHITE_SPACE, bert_characters

Step = tuple[Any, ...]
Form = Literal["NFC", "NFD", "NFKC", "NFKD"]

# Capital letters since Unicode 14, which Python 3.10 does not know: first, last, and the distance to the small letter.
_NEWER_CAPITALS = (
    (0x2C2F, 0x2C2F, 48),
    (0x10570, 0x1057A, 39),
    (0x1057C, 0x1058A, 39),
    (0x1058C, 0x10592, 39),
    (0x10594, 0x10595, 39),
    (0x1C89, 0x1C89, 1),
    (0x10D50, 0x10D65, 32),
    (0x16EA0, 0x16EB8, 27),
    *((point, point, 1) for point in (0xA7C0, 0xA7CC, 0xA7CE, 0xA7D0, 0xA7D2, 0xA7D4, 0xA7D6, 0xA7D8, 0xA7DA)),
    (0xA7CB, 0xA7CB, 0x264 - 0xA7CB),
    (0xA7DC, 0xA7DC, 0x19B - 0xA7DC),
)
# Of the normalizer Nmt: what goes, and what becomes a space.
_NMT: dict[int, str] = dict.fromkeys([*range(1, 9), 0xB, *range(0xE, 0x20), 0x7F, 0x8F, 0x9F], "")
_NMT |= dict.fromkeys([9, 0xA, 0xC, 0xD, 0x1680, *range(0x200B, 0x2010), 0x2028, 0x2029, 0x2581, 0xFEFF, 0xFFFD], " ")
_LONGEST_WHOLE_CLUSTER = 5  # bytes; look up longer clusters character by character
_MOST_CACHED = 1 << 16
LONGEST_TEXT, MOST_GROWTH = 1 << 18, 64
"""What steps may make of a text: so many characters, or so many times its length. NFKC makes 18 of one character."""
# Marks that are newer than the tables of tokenizers 0.23, in which they join no cluster.
_LATEST_MARKS = re.compile("([\u05c8\u05c9\u0b53\u0b54\u1ade\u1adf\u1aec-\u1af0]+)")


@lru_cache(maxsize=64)
def normalizer(steps: tuple[Step, ...]) -> Callable[[str], str]:
    """Return the function that applies ``steps`` in order. Raises InvalidPattern, UnsupportedPattern.

    The function itself raises InvalidText if the text becomes longer than ``longest``.

    >>> normalizer((("NFC",), ("Replace", "Regex", r"\\s+", " "), ("Lowercase",)))("Cafe\u0301  A")
    'café a'
    """
    functions = [_step(*step) for step in steps]

    def normalize(text: str) -> str:
        most = longest(len(text))
        for function in functions:
            text = function(text, most)
        return text

    return normalize


def longest(size: int) -> int:
    """Return how many characters a text of ``size`` characters may become."""
    return max(LONGEST_TEXT, MOST_GROWTH * size)


def replacement(kind: str, pattern: str, content: str) -> Callable[[str, int], str]:
    """Return the function that replaces every match in a text, given the most characters that it may become.

    kind : "Regex" for a pattern of Oniguruma, or "String". The function raises InvalidText.

    >>> replacement("Regex", "b+", "x")("abba", 10)
    'axa'
    """
    if kind == "String":

        def replace_text(text: str, most: int) -> str:
            more = len(content) - len(pattern)
            _check_length(len(text) + (text.count(pattern) * more if more > 0 else 0), most)
            return text.replace(pattern, content)

        return replace_text
    spans_of = span_finder(kind, pattern)

    def replace(text: str, most: int) -> str:
        spans = spans_of(text)
        _check_length(len(text) + sum(len(content) - (end - start) for start, end in spans), most)
        parts: list[str] = []
        done = 0
        for start, end in spans:
            parts += text[done:start], content
            done = end
        return "".join([*parts, text[done:]]) if done else text

    return replace


def _check_length(size: int, most: int) -> None:
    if size > most:
        raise InvalidText(
            f"the rules of this model make a text of {size:,} characters; from a text of this length they may make "
            f"{most:,}. Is the model from a source that you trust?"
        )


def _step(kind: str, *options: Any) -> Callable[[str, int], str]:
    if kind == "Replace":
        return replacement(*options)
    change = _change(kind, *options)

    def step(text: str, most: int) -> str:
        text = change(text)
        _check_length(len(text), most)
        return text

    return step


def _change(kind: str, *options: Any) -> Callable[[str], str]:
    if kind in get_args(Form):
        return partial(normal_form, cast(Form, kind))
    if kind == "Nmt":
        return lambda text: text.translate(_NMT)
    if kind == "Lowercase":
        return lambda text: text.translate(small_letters())
    if kind == "Prepend":
        return lambda text: options[0] + text if text else text
    if kind == "Strip":
        return partial(_stripped, left=options[0], right=options[1])
    if kind == "Precompiled":
        return _precompiled(*options)
    if kind == "LlamaWords":
        return lambda text: text.translate(llama_words(*options))
    if kind == "SentencePiece":
        return _sentencepiece(*options)
    if kind == "StripAccents":
        return lambda text: _runs_of("marks").sub("", text)
    if kind == "Bert":
        return _bert(*options)
    raise ValueError(kind)


def _stripped(text: str, left: bool, right: bool) -> str:
    text = text.lstrip(WHITE_SPACE) if left else text
    return text.rstrip(WHITE_SPACE) if right else text


def _bert(clean: bool, chinese: bool, accents: bool, lower: bool) -> Callable[[str], str]:
    spaces = dict.fromkeys(map(ord, WHITE_SPACE), " ")

    def rewrite(text: str) -> str:
        if clean:
            text = _runs_of("removed").sub("", text).translate(spaces)
        if chinese and not text.isascii():
            text = _runs_of("chinese").sub(lambda run: "".join(f" {one} " for one in run[0]), text)
        if accents:
            text = _runs_of("accents").sub("", normal_form("NFD", text))
        return text.translate(small_letters()) if lower else text

    return rewrite


@cache
def small_letters() -> dict[int, str]:
    """Return the small letter of every character that has another one, for ``str.translate``."""
    newer = code_points.newer_than(TIKTOKEN)
    known = (chr(point) for point in range(code_points.CODE_POINTS) if not newer[point])
    small = {ord(letter): letter.lower() for letter in known if letter.lower() != letter}
    for first, last, distance in _NEWER_CAPITALS:
        small |= {point: chr(point + distance) for point in range(first, last + 1)}
    return small


def normal_form(form: Form, text: str) -> str:
    r"""Return ``text`` in one of the four normal forms; lone surrogates stay.

    Only runs of characters that `tokenizers` changes are normalized, with the running Python's tables: these
    characters are old, and Unicode never changes the normal form of an old character.

    >>> normal_form("NFKC", "\ufb01"), [*map(ord, normal_form("NFD", "é"))]
    ('fi', [101, 769])
    """
    # A text that is normal by later tables is normal by earlier ones.
    if text.isascii() or unicodedata.is_normalized(form, text):
        return text
    return _runs_of("compatible" if form.startswith("NFK") else "changing").sub(
        lambda run: unicodedata.normalize(form, run[0]), text
    )


def decomposed(text: str, clean: bool) -> tuple[str, list[int]]:
    r"""Return the form NFD, and for each character its place in ``text``.

    clean : whether control characters are removed first, as BERT's normalizer does. As in `tokenizers`, the places are
    in order, even where marks change theirs: the first parts of characters take the places of these in turn, and other
    parts that of the part before.

    >>> [*map(hex, map(ord, decomposed("é\u0327", True)[0]))], decomposed("é\u0327", True)[1]
    (['0x65', '0x327', '0x301'], [0, 1, 1])
    """
    old, removed = unicode_tables.composing_characters(), bert_characters(REMOVED)
    places = [at for at, character in enumerate(text) if not (clean and removed[ord(character)])]
    run = 0
    parts = []
    for at in places:
        for number, part in enumerate(normal_form("NFD", text[at])):
            order = unicodedata.combining(part) if old[ord(part)] else 0
            run += order == 0
            parts.append((run, order, number == 0, part))
    parts.sort(key=itemgetter(0, 1))
    taken = accumulate(first for *_, first, _ in parts)
    return "".join(part for *_, part in parts), [places[number - 1] for number in taken]


@cache
def _runs_of(what: str) -> re.Pattern:
    """Return the pattern of one or more characters of a kind."""
    if what == "changing":
        known = unicode_tables.composing_characters()
    elif what == "compatible":
        known = unicode_tables.composing_characters() | unicode_tables.compatible_characters()
    elif what == "chinese":
        known = unicode_tables.chinese_characters()
    else:
        known = bert_characters({"removed": REMOVED, "accents": ACCENT, "marks": ANY_MARK}[what])
    ranges = (f"\\U{first:08x}-\\U{last:08x}" for first, last in code_points.ranges_of(known))
    return re.compile(f"[{''.join(ranges)}]+")


def _precompiled(table: bytes) -> Callable[[str], str]:
    """Return the function that applies a table of SentencePiece's; it caches the result for each cluster."""
    charsmap = Charsmap(table)
    cache: dict[str, str] = {}

    def rule_for(text: str) -> str | None:
        first = next(charsmap.matches(text.encode("utf-8"), 0), None)
        return None if first is None else first[1].decode("utf-8")

    def rewritten(cluster: str) -> str:
        if len(cluster.encode("utf-8")) <= _LONGEST_WHOLE_CLUSTER and (whole := rule_for(cluster)) is not None:
            return whole
        return "".join(character if (new := rule_for(character)) is None else new for character in cluster)

    def of_cluster(found: Any) -> str:
        cluster: str = found[0]
        new = cache.get(cluster)
        if new is None:
            new = rewritten(cluster)
            if len(cache) < _MOST_CACHED:
                cache[cluster] = new
        return new

    # In ASCII every character but a line break is a cluster, so only characters with a rule need a look.
    ruled = "".join(re.escape(chr(code)) for code in range(128) if rule_for(chr(code)) is not None)
    in_ascii = re.compile(f"\r\n|[{ruled}]" if ruled else "\r\n")
    clusters = regex.compile(r"\X")

    def rewrite(text: str) -> str:
        if text.isascii():
            return in_ascii.sub(of_cluster, text)
        parts = _LATEST_MARKS.split(text)
        parts[::2] = [clusters.sub(of_cluster, part) for part in parts[::2]]
        return "".join(parts)

    return rewrite


def _sentencepiece(table: bytes, prefix: bool, squeeze: bool) -> Callable[[str], str]:
    """Return the function that applies the longest rule of a table at each place, and rewrites spaces."""
    charsmap = Charsmap(table)

    def ruled(text: str) -> str:
        data, made, at = text.encode("utf-8"), bytearray(), 0
        while at < len(data):
            size, new = charsmap.longest_rule(data, at) or (1, data[at : at + 1])
            made += new
            at += size
        return made.decode("utf-8", "replace")

    def rewrite(text: str) -> str:
        text = ruled(text) if table else text
        if squeeze:
            return "".join("\u2581" + word for word in text.split(" ") if word)
        if prefix and text.strip(" "):
            text = " " + text
        return text.replace(" ", "\u2581")

    return rewrite


@cache
def llama_words(lower: bool, accents: bool) -> dict[int, str]:
    """Return what llama.cpp makes of each character of a text for WordPiece, if it changes it.

    Of a character that Unicode decomposes, only the first part stays, even of a Korean syllable. A word of one
    character has spaces around it.
    """
    points = np.arange(code_points.CODE_POINTS)
    if accents:
        composing = np.flatnonzero(unicode_tables.composing_characters())
        points[composing] = [ord(normal_form("NFD", chr(point))[0]) for point in composing.tolist()]
    kinds = unicode_tables.categories()[points]
    category = np.array(unicode_tables.CATEGORIES)
    gone = np.isin(category, ("Cc", "Cf", "Co", "Cs"))[kinds] | np.isin(points, (0, 0xFFFD))
    alone = np.char.startswith(category, "P")[kinds] | unicode_tables.chinese_characters()[points]
    alone |= (points < 0x7F) & np.char.startswith(category, "S")[kinds]
    if accents:
        gone |= np.char.startswith(category, "M")[kinds]
    if lower:
        small = small_letters()
        changing = np.flatnonzero(np.isin(points, list(small)))
        points[changing] = [ord(small[point][0]) for point in points[changing].tolist()]
    space = np.isin(points, list(map(ord, WHITE_SPACE)))
    changed = np.flatnonzero((points != np.arange(len(points))) | gone | alone | space)
    made = {at: chr(point) for at, point in zip(changed.tolist(), points[changed].tolist())}
    made |= {at: f" {made[at]} " for at in np.flatnonzero(alone).tolist()}
    made |= dict.fromkeys(np.flatnonzero(gone).tolist(), "")
    return made | dict.fromkeys(np.flatnonzero(space).tolist(), " ")
