r"""Encoding gives the ids of tiktoken for any pat_str, or refuses the pattern when it is made."""

from __future__ import annotations

import random

import pytest
import tiktoken

from minbpe_course import Encoding, RegexTokenizer, train
from minbpe_course.errors import InvalidPattern, SlowPattern, UnsupportedPattern
from minbpe_course.text import properties
from minbpe_course.text.pattern_reading import TIKTOKEN
from minbpe_course.text.regex_runner import runner_for
from tests.shared.random_patterns import TIKTOKEN_LETTERS, random_text, random_tiktoken_pattern
from tools import unicode_properties

pytestmark = pytest.mark.medium

BYTES = {bytes([byte]): byte for byte in range(256)}


def ranks_of(texts: list[str]) -> dict[bytes, int]:
    """A vocabulary with every part of the texts, so that each word is one id and no cut stays hidden."""
    parts = {text[i:j].encode() for text in texts for i in range(len(text)) for j in range(i + 1, len(text) + 1)}
    return BYTES | {part: 256 + at for at, part in enumerate(sorted(parts - BYTES.keys()))}


def theirs(pattern: str, ranks: dict[bytes, int] = BYTES) -> tiktoken.Encoding | None:
    try:
        return tiktoken.Encoding("theirs", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    except ValueError:
        return None


def ours(pattern: str, ranks: dict[bytes, int] = BYTES) -> Encoding:
    return Encoding("ours", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})


def ids_or_none(encoding: tiktoken.Encoding, text: str) -> list[int] | None:
    """tiktoken breaks down at a match of no characters, with an exception that is not an Exception."""
    try:
        return encoding.encode_ordinary(text)
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        return None


# A panic prints its backtrace, however many there are.
@pytest.fixture(autouse=True)
def short_panics(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUST_BACKTRACE", "0")


def test_random_patterns_give_the_ids_of_tiktoken_or_are_refused_when_made():
    rng = random.Random(20)
    number, size = 200, 40
    texts = [random_text(rng, TIKTOKEN_LETTERS) for _ in range(size)]
    ranks = ranks_of(texts)
    words = {rank: word.decode("utf-8", "replace") for word, rank in ranks.items()}
    compared = 0
    for _ in range(number):
        pattern = random_tiktoken_pattern(rng)
        there = theirs(pattern, ranks)
        try:
            runner = runner_for(pattern, TIKTOKEN)
        except InvalidPattern:
            with pytest.raises(InvalidPattern):
                ours(pattern)
            continue
        assert there is not None, pattern
        for text in texts:
            wanted = ids_or_none(there, text)
            if wanted is not None:
                compared += 1
                cut = [text[begin:end] for begin, end in runner.spans(text)]
                assert cut == [words[rank] for rank in wanted], (pattern, text)
        some = rng.choice(texts)
        wanted = ids_or_none(there, some)
        if wanted is not None:
            assert ours(pattern, ranks).encode(some, disallowed_special=()) == wanted, (pattern, some)
    assert compared > 0.4 * number * size


SPECIAL_THERE = [
    r"[\p{L}&&[^\p{Han}]]+", "[a-z--[b-y]]+", "[[a-z]&&[^s]]", r"[^a&&b]+", "[a-c&&b-d--c]+", "[||&&|]", "a{,3}b",
    r"a$|\n", r"(?m)a$|\n", r"(?m)^a|[\s\S]", r"\x{61}", r"\u{61}", r"\U00000061", "(?P<n>a)|(?<m>b)",
    r"\p{^L}+", r"\p{Script=Greek}+", r"\p{Alphabetic}+", r"\pL+", r"\p{ upper case }+", r"(?i:\p{Lu})+",
    r"(?i)\P{Lu}+", "(?i:[^s])+", "(?i:ß)", "(?i:σ)+", "(?i)a(?-i:b)", "[^sk]+|(?i:'s)", "[^s]|[^k]", "(?<!a|bb)b",
    "(?>a+)b?", "(?>a|ab)b", "a++b", "a{1,2}+b", r"a(?=b{2,}\n)|b", r"\r\n|\r|\n", r"[^\r\n\p{L}\p{N}]?+\p{L}++",
]  # fmt: skip


@pytest.mark.parametrize("pattern", SPECIAL_THERE)
def test_what_is_special_in_tiktokens_dialect_is_read_as_there(pattern):
    rng = random.Random(pattern)
    letters = TIKTOKEN_LETTERS + "aaabbb  \n\n\r" * 3
    texts = [*"ab", "aab", "aa\n", "a\n\n", "\r\na", "a{x}aa{2}x{", *(random_text(rng, letters) for _ in range(60))]
    ranks = ranks_of(texts)
    there, here = theirs(pattern, ranks), ours(pattern, ranks)
    assert there is not None
    for text in texts:
        wanted = ids_or_none(there, text)
        assert wanted is None or here.encode_ordinary(text) == wanted, text


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("(a", r"position 0: a \( is not closed"), ("a)", r"position 1: a \) closes nothing"),
        ("[a", r"position 0: a \[ is not closed"), ("a|*", r"position 2: \* repeats nothing"),
        ("(?=a)*|b", "position 5: something that can match the empty text"), (r"\q", r"position 0: the escape \\q"),
        (r"\x{110000}", r"position 10: U\+110000"), (r"\p{Nope}", "does not know the property 'Nope'"),
        ("[z-a]", "a range goes backwards"), (r"[\d-a]", "a range goes backwards"), ("(?q)a", "the flags 'q'"),
        ("a" + "(" * 80 + "b" + ")" * 80, "more than 60 deep"), ("a\\", "ends with a backslash"),
    ],
)  # fmt: skip
def test_what_tiktoken_refuses_is_refused_with_the_place(pattern, message):
    assert theirs(pattern) is None or "(" * 60 in pattern
    with pytest.raises(InvalidPattern, match=message):
        ours(pattern)


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        (r"(a)\1", r"the escape \\1"), ("(a)?(?(1)b|c)", r"'\(\?\(1' begins a kind of group"),
        ("(?~ab)|c", "a kind of group"), ("(?#x)a", "a kind of group"), ("a(?i)b", "a kind of group"),
        (r"\Ga", r"the escape \\G"), (r"a\Kb", r"the escape \\K"), ("(?x)a", "the flags 'x'"), ("[[:alpha:]]", r"a \["),
        (r"[\w~~\d]", "~~"), ("a*", "can match the empty text; repeat with"), ("(?:a?b?){2}c", "is repeated"),
        ("(?<=a+)b", "a look-behind contains"), ("a{3,2}", "less than its least"), ("a{x}", r"write \\{"),
        ("a{9}{9}", "two repetitions"), ("[]a]", r"write \\\]"), ("(?:a{9999}){9}", "89,991 parts"),
    ],
)  # fmt: skip
def test_what_the_tree_has_no_part_for_is_refused_by_name(pattern, message):
    assert theirs(pattern) is not None
    with pytest.raises(UnsupportedPattern, match=message):
        ours(pattern)


@pytest.mark.parametrize(
    "pattern", ["(?=ab|k)[^sk]+|(?i:'s)|[^s]|[^k]", r"(?>[^\n]|[^ ]x)|\n", r"(?>a|b)|[^b]|[^-]", r"(a)\1|[\s\S]"]
)
def test_no_text_is_lost_where_regex_reads_negated_sets_wrongly(pattern):
    rng = random.Random(5)
    tokenizer = RegexTokenizer(pattern)
    with pytest.warns(SlowPattern):
        tokenizer.encode("a")
    for _ in range(100):
        text = random_text(rng)
        assert tokenizer.decode(tokenizer.encode(text)) == text


def test_a_name_that_is_nearly_right_is_told():
    with pytest.raises(InvalidPattern, match=r"Did you mean .* 'cl100k_base'"):
        train("hello world", 260, pattern="cl100k")
    with pytest.raises(InvalidPattern, match="'o200k_base'"):
        RegexTokenizer("o200k").encode("hello")
    with pytest.raises(InvalidPattern, match=r"'\[a-z\]\+\|\[\\\\s\\\\S\]'"):
        RegexTokenizer("[a-z]+").encode("hello world")


def test_the_properties_are_those_of_the_installed_tiktoken():
    if not tiktoken.__version__.startswith("0.14"):
        pytest.skip("the table is of tiktoken 0.14")
    named = [name for name, _ in unicode_properties.names_to_ask() if properties.find(name)]
    rng = random.Random(9)
    for name in rng.sample(named, 12):
        members = properties.members(properties.find(name))
        assert (unicode_properties.members(f"\\p{{{name}}}") == members).all(), name
    lower = properties.members("ll")
    assert (unicode_properties.members(r"(?i:\p{Ll})") == properties.fold(lower)).all()


def test_unknown_names_of_properties_are_unknown_to_tiktoken():
    known = {name for name, _ in unicode_properties.names_to_ask()}
    for name in random.Random(1).sample(sorted(known), 100):
        assert (properties.find(name) is None) == (theirs(f"\\p{{{name}}}") is None), name
