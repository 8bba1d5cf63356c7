"""Custom models in the page: merges, byte orders, special tokens and split patterns of every kind."""

from __future__ import annotations

import random
import re

import pytest
import regex

from minbpe_course.errors import InvalidPattern, UnsupportedPattern
from minbpe_course.inspecting.tokenizer_view import view_of
from minbpe_course.model import BytePairModel
from minbpe_course.playground_page.page_data import as_json, page_data
from minbpe_course.text import patterns
from tests.playground_page.page_engine import Engine
from tests.shared.cases import hostile_texts, mixed_texts
from tests.shared.random_patterns import random_pattern, random_text

pytestmark = [pytest.mark.medium, pytest.mark.browser]

TEXTS = [*mixed_texts(21, 150), *hostile_texts(22, 100, surrogates=True)]


def random_model(rng: random.Random, twice: bool = False) -> BytePairModel:
    """Merges that no trainer would make: of tokens that are never reached, over holes in the ids, the same twice."""
    order = list(range(256))
    if rng.random() < 0.5:
        rng.shuffle(order)
    likely = [order.index(byte) for byte in rng.choice([b"ab", b"abc \n", "é中👋 ".encode(), bytes(range(256))])]
    merges: list[tuple[int, int]] = []
    skipped = sorted(rng.sample(range(256, 300), rng.choice((0, 0, 3))))
    ids, new_id = list(likely), 256
    for _ in range(rng.choice((0, 5, 40, 200))):
        while new_id in skipped:
            new_id += 1
        pair = rng.choice(ids), rng.choice(ids)
        if twice and merges and rng.random() < 0.1:
            pair = rng.choice(merges)
        elif pair in merges:
            continue
        merges.append(pair)
        ids.append(new_id)
        new_id += 1
    names = ["<a>", "<a><b>", "<a", "ab", "é", "👋", "中文", " ", "<|end|>", "\n\n"]
    specials = {name: 1000 + k for k, name in enumerate(rng.sample(names, rng.choice((0, 1, 4, 10))))}
    if len(specials) > 3:
        specials["<same>"] = next(iter(specials.values()))  # of two texts with one id the last is what it stands for
    pattern = rng.choice(
        [None, *patterns.PATTERNS.values(), patterns.GPT2_RELEASE_PATTERN, patterns.CL100K_FIRST_PATTERN]
    )
    return BytePairModel(merges, bytes(order), pattern or None, specials, skipped)


def test_models_that_no_trainer_would_make(empty: Engine) -> None:
    rng = random.Random(31)
    models = {f"model {k}": random_model(rng) for k in range(24)}
    empty.ask("data", data=page_data([], models))
    for name, model in models.items():
        ours = view_of(model)
        letters = "ab \né中文👋<>|end\u3000A1'" + "".join(model.special_tokens)
        texts = ["".join(rng.choices(letters, k=rng.choice((0, 1, 3, 9, 40, 150)))) for _ in range(40)]
        for specials in (False, True):
            found = empty.cuts(name, texts + TEXTS[:40], specials=specials)
            for text, (ids, tokens, special) in zip(texts + TEXTS[:40], found):
                cut = ours.cut(text, specials)
                wanted = list(cut.ids), [bytes(token).hex() for token in cut.tokens], sorted(cut.special)
                assert (ids, tokens, special) == wanted, (text, specials, model)


# Split patterns

PATTERNS = (
    r"\p{L}+|\d|[^\w]|_+|[\s\S]",
    r"(?i)[a-kſ]+|straße|.|\n",
    r"(?i:ß|K|é)+|(?-i:[A-Z])|[\s\S]",
    r"\b\w+\b|\W",
    r"(?:a|b){2,3}+|[\s\S]",
    r"(?:(?>ab?)b|\s*+\n)+|[\s\S]",
    r"\w+?(?=\s|$)|\s+|[\s\S]",
    r"(?<=\n)\s+|(?<!a)b{1,}|[\s\S]",
    r"(?m)^.+$|[\s\S]",
    r"\A\s+|\s+\Z|\s|\S+",
    r"[\]\\^\-]+|[\s\S]",
    r"\p{Script=Greek}+|\p{Han}|(?:(?!\p{Han}|\p{Greek}).)+|\n",
    r"(?P<x>a)|(?<y>b)|(c)|[^abc]+",
    r"\d{1,3}(?=(?:\d{3})*\b)|[^\d]+|\d",
    r"\x41|\u00e9|\U0001F44B|[\t\n\r\f\v\a]|[\s\S]",
    r"\pL+|\PL|\p{^L}",
    r"|".join([patterns.O200K_PATTERN, "x"]),
    # As published with Qwen 2, nanochat and Mistral's Tekken.
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "|".join([re.sub(r"\(\?i:.*$", "", part) for part in patterns.O200K_ALTERNATIVES]).replace("{1,3}", ""),
)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_patterns_cut_as_in_python(empty: Engine, pattern: str) -> None:
    empty.ask("data", data=page_data([], {"mine": BytePairModel(pattern=pattern)}))
    compiled = regex.compile(pattern)
    texts = [*TEXTS, "a.b aXb\nxA", "ABBBAbba  c abc\n\n \n", "12345678 1234", "/* a */ b */", "ﬅ ﬆ ss ẞ ß SS K k K"]
    for text, found in zip(texts, empty.ask("words", name="mine", texts=texts)):
        whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        words = [match.group() for match in compiled.finditer(whole)]
        # Text outside all words would be lost, so both refuse it.
        assert found == (words if "".join(words) == whole else None), text


def test_random_patterns(empty: Engine) -> None:
    rng, tried = random.Random(33), 0
    while tried < 150:
        pattern = random_pattern(rng) + r"|[\s\S]"
        texts = [random_text(rng) for _ in range(6)]
        try:
            data = page_data([], {"mine": BytePairModel(pattern=pattern)})
        except InvalidPattern:
            continue
        tried += 1
        empty.ask("data", data=data)
        compiled = regex.compile(pattern)
        wanted = [[match.group() for match in compiled.finditer(text)] for text in texts]
        assert empty.ask("words", name="mine", texts=texts) == wanted, pattern


REFUSED = {
    r"(a)\1|.": r"\\1",
    r"(?x)a # b": "flags",
    r"\w*": "can match the empty text",
    r"(?:a{200}){200}|.": "smaller counts",
    "[[:alpha:]]|.": r"a \[ in a set",
    "(?#c)a|.": "a kind of group",
    "\ud83d|.": "not a character",
}


@pytest.mark.parametrize("pattern", REFUSED)
def test_patterns_that_differ_in_javascript_are_refused(pattern: str) -> None:
    with pytest.raises(UnsupportedPattern, match=REFUSED[pattern]) as caught:
        page_data([], {"mine": BytePairModel(pattern=pattern)})
    assert "widget" in str(caught.value)


# The data


def test_nothing_ends_the_script_element(empty: Engine) -> None:
    name = "</script><script>alert(1)</script>"
    data = page_data([], {name: BytePairModel(special_tokens={"</script>": 256, "<!--": 257})})
    text = as_json(data)
    assert "<" not in text
    assert empty.ask("data", data=data) == [name]
    assert empty.ids(name, ["</script><!--"], specials=True) == [[256, 257]]


def test_special_tokens_that_no_text_contains(empty: Engine) -> None:
    # A text is repaired first, so half a character is never found in it.
    model = BytePairModel(special_tokens={"a\udc4b"[1:]: 256, "\ud83d": 257, "👋👋": 258})
    empty.ask("data", data=page_data([], {"mine": model}))
    assert empty.ids("mine", ["👋", "👋👋👋"], specials=True) == [[*"👋".encode()], [258, *"👋".encode()]]
