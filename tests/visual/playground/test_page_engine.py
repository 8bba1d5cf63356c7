"""The page's tokenizer in JavaScript against tiktoken: the same ids on generated texts, words, steps, special tokens.

The long run tries a hundred thousand texts for each of the large encodings and every code point in a text::

    MINBPE_COURSE_LONG_TESTS=1 python -m pytest tests/test_page_engine.py
"""

from __future__ import annotations

import base64
import os
import random
import shutil
import subprocess
import zlib
from collections.abc import Iterator
from itertools import pairwise, product

import pytest
import tiktoken

from minbpe_course import get_encoding, list_encoding_names, use_bundled_vocabularies, vocabularies
from minbpe_course.inspecting.tokenizer_view import view_of
from minbpe_course.splitting.splitter import Splitter
from minbpe_course.text import patterns, unicode_tables
from minbpe_course.visual.playground.page_data import as_json, page_data
from minbpe_course.visual.playground.sources import HERE, engine_source, source
from tests.shared.cases import LONG as LONG_TEXTS
from tests.shared.cases import hostile_texts, mixed_texts
from tests.shared.patience import PATIENCE
from tests.visual.playground.page_engine import Engine, engine_for

pytestmark = [pytest.mark.medium, pytest.mark.browser]

LONG = os.environ.get("MINBPE_COURSE_LONG_TESTS") == "1"
# How many generated texts in CI and in the long run.
LARGE, SMALL = (10_000, 100_000)[LONG], (1_500, 20_000)[LONG]
NUMBERS = {"gpt2": LARGE, "cl100k_base": LARGE, "o200k_base": LARGE}
NAMES = list_encoding_names()

# All sequences of up to five of these: cuts of white space, line breaks and their neighbours.
GRID = " \n\ta'\u3000\r"


@pytest.fixture(scope="module", autouse=True)
def _bundled() -> None:
    use_bundled_vocabularies()


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with engine_for(page_data(NAMES)) as started:
        yield started


def generated(seed: int, number: int) -> list[str]:
    """Texts of every kind, a fifth of them with surrogates, alone and in pairs."""
    hostile = number // 5
    return [*mixed_texts(seed, number - hostile), *hostile_texts(seed, hostile, surrogates=True)]


def assert_equal(texts: list[str], found: list, wanted: list) -> None:
    assert len(texts) == len(found) == len(wanted)
    for text, mine, theirs in zip(texts, found, wanted):
        assert mine == theirs, f"{text!r} became {mine}, and {theirs} in Python"


@pytest.mark.parametrize("name", NAMES)
def test_ids_are_tiktokens(engine: Engine, name: str) -> None:
    texts = ["", *generated(2027, NUMBERS.get(name, SMALL))]
    theirs = tiktoken.get_encoding(name)
    assert_equal(texts, engine.ids(name, texts), [theirs.encode_ordinary(text) for text in texts])


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
def test_every_row_of_white_space(engine: Engine, name: str) -> None:
    texts = ["".join(row) for length in range(1, 6 if LONG else 5) for row in product(GRID, repeat=length)]
    theirs = tiktoken.get_encoding(name)
    assert_equal(texts, engine.ids(name, texts), [theirs.encode_ordinary(text) for text in texts])


@pytest.mark.parametrize("name", NAMES)
def test_tokens_and_special_tokens(engine: Engine, name: str) -> None:
    rng = random.Random(name)
    theirs = tiktoken.get_encoding(name)
    specials = sorted(theirs.special_tokens_set)
    texts = []
    for text in generated(5, 600):
        parts = [text, *rng.choices([*specials, "<|endoftext|", "<|", "|>"], k=rng.choice((0, 1, 1, 3)))]
        rng.shuffle(parts)
        texts.append("".join(parts))
    wanted, ordinary = [], []
    for text in texts:
        ids = theirs.encode(text, allowed_special="all")
        tokens = [token.hex() for token in theirs.decode_tokens_bytes(ids)]
        wanted.append((ids, tokens, [at for at, each in enumerate(ids) if theirs.is_special_token(each)]))
        ids = theirs.encode_ordinary(text)
        ordinary.append((ids, [token.hex() for token in theirs.decode_tokens_bytes(ids)], []))
    assert_equal(texts, engine.cuts(name, texts, specials=True), wanted)
    assert_equal(texts, engine.cuts(name, texts, specials=False), ordinary)
    assert sum(len(special) for *_, special in wanted) > 150


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
def test_long_words(engine: Engine, name: str) -> None:
    # A quadratic algorithm would take hours.
    texts = list(LONG_TEXTS.values())
    ours = get_encoding(name)
    for text in texts:
        assert engine.ids(name, [text])[0] == ours.encode_ordinary(text)


@pytest.mark.parametrize("name", unicode_tables.ENGINES)
def test_every_code_point_has_its_class(engine: Engine, name: str) -> None:
    packed = zlib_entry(unicode_tables.data_file(f"classes-{name}").read_bytes())
    found = base64.b64decode(engine.ask("classes", packed=packed))
    assert found == unicode_tables.character_classes(name).tobytes()


@pytest.mark.skipif(not LONG, reason="MINBPE_COURSE_LONG_TESTS=1 asks for it")
@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
def test_every_code_point_in_a_text(engine: Engine, name: str) -> None:
    theirs = tiktoken.get_encoding(name)
    # Every sixteenth point of the empty planes; the test above checks the class of each.
    points = [*range(0xD800), *range(0xE000, 0x40000), *range(0x40000, 0x110000, 16), *range(0xE0000, 0xE0200)]
    # Alone, doubled, between letters, digits, spaces, others, after an apostrophe, and at the end.
    frame = "a{0}b1{0}2 {0} !{0}!'{0} A{0}B中{0}文\n{0}{0}{0}\n {0}{0}"
    for begin in range(0, len(points), 4000):
        texts = [frame.format(chr(point)) for point in points[begin : begin + 4000]]
        assert engine.ids(name, texts) == [theirs.encode_ordinary(text) for text in texts], hex(points[begin])


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
def test_words(engine: Engine, name: str) -> None:
    texts = [*mixed_texts(11, 500)]
    splitter = Splitter(patterns.named_pattern(name))
    wanted = [[word.decode() for word in splitter.words(text)] for text in texts]
    assert_equal(texts, engine.ask("words", name=name, texts=texts), wanted)


@pytest.mark.parametrize("name", ["gpt2", "o200k_base"])
def test_the_word_of_a_token(engine: Engine, name: str) -> None:
    ours = get_encoding(name)
    splitter = Splitter(patterns.named_pattern(name))
    for text in ["hello world", "a<|endoftext|> tokenization 日本語<|endoftext|>x", *mixed_texts(12, 60)]:
        wanted: list[str | None] = []
        for k, part in enumerate(text.split("<|endoftext|>")):
            wanted += [None] * (k > 0)
            for word in splitter.words(part):
                wanted += [word.decode()] * len(ours.encode_ordinary(word.decode()))
        places = range(len(wanted))
        found = engine.ask("wordAt", name=name, text=text, places=list(places), specials=True)
        assert found == wanted, text


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "p50k_base"])
def test_steps(engine: Engine, name: str) -> None:
    record = vocabularies.load(name)
    ranks = {pair: rank for rank, pair in enumerate(record.merges)}
    made = list(record.merge_ids)
    words = [" tokenization", "aaaaaaa", "日本語", "", "x", "   ", " Straße", *mixed_texts(13, 40)]
    words = [word for word in words if len(word.encode()) <= 200]
    for word, steps in zip(words, engine.ask("steps", name=name, texts=words)):
        now = [record.byte_ids[byte] for byte in word.encode()]
        wanted = [[list(now), [record.token_bytes[each].hex() for each in now], None, None]]
        while possible := [(ranks[pair], at) for at, pair in enumerate(pairwise(now)) if pair in ranks]:
            rank, at = min(possible)
            now[at : at + 2] = [made[rank]]
            wanted.append([list(now), [record.token_bytes[each].hex() for each in now], rank, at])
        assert steps == wanted, word


def test_steps_of_a_long_word_are_refused(engine: Engine) -> None:
    with pytest.raises(RuntimeError, match="201 bytes; steps are shown for words of up to 200"):
        engine.ask("steps", name="gpt2", texts=["x" * 201])


def test_an_unknown_name_is_reported(engine: Engine) -> None:
    with pytest.raises(RuntimeError, match="no tokenizer is called gpt3; there are gpt2"):
        engine.ids("gpt3", ["a"])


def test_packed_data_is_unpacked_and_damaged_data_refused(engine: Engine) -> None:
    data = b"The same words, the same bytes, again and again and again. " * 20
    compressed = zlib.compress(data, 9)
    assert base64.b64decode(engine.ask("unpack", packed=zlib_entry(compressed))) == data
    for damaged in (b"", compressed[:-1], compressed[:20], compressed[:-1] + bytes([compressed[-1] ^ 1])):
        with pytest.raises(RuntimeError):
            engine.ask("unpack", packed=zlib_entry(damaged))


def test_a_browser_without_decompression_is_told_which_ones_have_it() -> None:
    old_browser = "const DecompressionStream = undefined;\n" + source("engine/engine.js")
    with engine_for(None, old_browser) as old, pytest.raises(RuntimeError, match="it has no DecompressionStream"):
        old.ask("data", data=page_data(["gpt2"]))


def test_an_older_browser_repairs_texts_as_well() -> None:
    without = source("engine/engine.js").replace("text.toWellFormed", "text.notYetThere")
    texts = hostile_texts(53, 100, surrogates=True)
    with engine_for(page_data(["gpt2"]), without) as old:
        assert_equal(texts, old.ids("gpt2", texts), [list(view_of("gpt2").cut(text).ids) for text in texts])


def zlib_entry(compressed: bytes) -> dict[str, str]:
    return {"zlib": base64.b64encode(compressed).decode()}


def test_the_source_of_the_engine_is_one_statement() -> None:
    text = engine_source()
    assert "import {" not in text
    assert "\nexport " not in text


def test_the_files_are_modules_too(tmp_path) -> None:
    # In the joined source a file also sees names that it forgot to import.
    node = shutil.which("node")
    if node is None:
        pytest.skip("no Node here")
    (tmp_path / "data.json").write_text(as_json(page_data(["gpt2"])), encoding="utf-8")
    program = tmp_path / "try.mjs"
    # Copied to .mjs, because a package.json in a parent folder would decide what .js means.
    for path in (HERE / "engine").glob("*.js"):
        text = path.read_text(encoding="utf-8").replace('.js";', '.mjs";')
        (tmp_path / path.with_suffix(".mjs").name).write_text(text, encoding="utf-8")
    program.write_text(
        'import { createEngine } from "./engine.mjs";\nimport { readFileSync } from "node:fs";\n'
        'const data = JSON.parse(readFileSync(new URL("data.json", import.meta.url), "utf8"));\n'
        'console.log((await createEngine(data)).cut("gpt2", "hello world").ids.join(" "));\n',
        encoding="utf-8",
    )
    done = subprocess.run([node, str(program)], capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert (done.stdout.strip(), done.stderr) == ("31373 995", "")
