"""The tests of the page's tokenizer can fail: each fault planted in its source is seen in the ids of a few texts."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
import sentencepiece

from minbpe_course import train
from minbpe_course.errors import MinbpeCourseError
from minbpe_course.formats import sentencepiece_proto
from minbpe_course.inspecting.tokenizer_view import view_of
from minbpe_course.model import NORMAL, UNKNOWN, USER_DEFINED, BytePairModel, PieceModel
from minbpe_course.text.patterns import GPT4_SPLIT_PATTERN, PATTERNS
from minbpe_course.visual.playground.page_data import page_data
from minbpe_course.visual.playground.sources import engine_source
from tests.reference import unigram_cases
from tests.shared.cases import hostile_texts, mixed_texts
from tests.shared.piece_cases import trained
from tests.shared.random_pieces import random_model, random_texts
from tests.visual.playground.page_engine import Engine, engine_for

pytestmark = [pytest.mark.slow, pytest.mark.browser]

BYTES: dict[str, tuple[str, str]] = {
    "the long s is no s": ("anyCase && unit === LONG_S", "unit === 0x110000"),
    "four digits make a word": ("count < 3 &&", "count < 4 &&"),
    "o200k has contractions of its own": ("if (!o200k && first === APOSTROPHE)", "if (first === APOSTROPHE)"),
    "only a blank may be in front": ("(!gpt2 || first === SPACE_UNIT)", "first === SPACE_UNIT"),
    "marks are no letters in o200k": ("o200k ? LETTERS | 1 << MARK : LETTERS", "LETTERS"),
    "white space at the end": ("if (family === CL100K_FAMILY && at === text.length) return at;", ""),
    "upper case gives nothing back": ("if (LOWERS >> kind & 1) eitherEnd = at;", ""),
    "slashes do not belong to signs": ("&& !(slashes && unit === SLASH)", ""),
    "characters of four bytes": ("return classes[code] << 2 |", "return classes[unit] << 2 |"),
    "white space gives nothing back": ("last > begin ? last : at", "last < begin ? last : at"),
    "a line break ends nothing": ("if (family !== GPT2_FAMILY && lineEnd > begin) return lineEnd;", ""),
    "the rightmost of equals": ("(best < 0 || ranks[i] < best)", "(best < 0 || ranks[i] <= best)"),
    "the pair before is not looked at again": (
        "if (at > 0) ranks[at - 1] = this.rank(ids[at - 1], ids[at]);",
        "if (at > 0) ranks[at - 1] = -1;",
    ),
    "what is stale is merged": ("if (ranks[at] !== rank) continue;", ""),
    "long words: the pair before": ("renew(before[at]);", ""),
    "long words: the order of equals": ("heap.push(ranks[i] * PLACES + i)", "heap.push(ranks[i] * PLACES + count - i)"),
    "the shortest special token": ("lengths.sort((a, b) => b - a)", "lengths.sort((a, b) => a - b)"),
    "ids that no merge makes": ("while (holes.has(id)) id += 1;", ""),
    "the first of two merges counts": (
        "this.slots[slot] = rank + 1;",
        "if (!this.slots[slot]) this.slots[slot] = rank + 1;",
    ),
    "the order of the bytes": ("this.idOfByte[byte] = id;", "this.idOfByte[id] = id;"),
}
PIECES: dict[str, tuple[str, str]] = {
    "spaces in a row": ("afterSpace = from[stop - 1] === SPACE_BYTE;", "afterSpace = false;"),
    "no space behind": ("if (dummyPrefix && suffix)", "if (false)"),
    "one space at the end": ("while (removeExtra && out.endsWith(space))", "if (removeExtra && out.endsWith(space))"),
    "spaces in front": ("if (!removeExtra || step.stop", "if (step.stop"),
    "rules before pieces": (
        "this.users.length((place) => bytes[place], at, bytes.length)",
        "(this.rule(bytes, at, step) ? 0 : this.users.length((place) => bytes[place], at, bytes.length))",
    ),
    "the first rule": ("if (nested === MOST_NESTED_RULES) break;", "break;"),
    "the first user-defined piece": ("if (nested === MOST_NESTED_PIECES) break;", "break;"),
    "frozen pieces merge": ("|| this.frozen[left] || this.frozen[right]", ""),
    "0.0 is -0.0": ("-(value & 0x7fffffff) - 1", "-(value & 0x7fffffff)"),
    "the rightmost of equal scores": (
        "this.merger.ranks[id] * PLACES + left",
        "this.merger.ranks[id] * PLACES + this.count - left",
    ),
    "the worst score": ("sort((a, b) => b - a).map(", "sort((a, b) => a - b).map("),
    "what is gone is merged": ("this.offered[right] = -1;", ""),
    "words of all models stand apart": ("if (spaceBehind(piece, this.mark)) this.apart = false;", ""),
    "unused pieces are not taken apart": ("if (!cuts.has(piece))", "if (piece)"),
    "unused pieces are known": ("id >= 0 && this.kinds[id] !== UNUSED ?", "id >= 0 ?"),
    "the last of equal sums": ("!(candidate > best[end])", "!(candidate >= best[end])"),
    "sums in double precision": ("Math.fround(this.scores[id] + here)", "this.scores[id] + here"),
    "sums are never moved back": ("FARTHEST_SUM = 100000;", "FARTHEST_SUM = Infinity;"),
    "another penalty": ("UNKNOWN_PENALTY = 10;", "UNKNOWN_PENALTY = 9;"),
    "user-defined pieces by characters": ("model.encoder.encode(piece).length : 0", "Array.from(piece).length : 0"),
    "no unknown beside a longer piece": ("alone = alone || place + 1 - begin === character;", "alone = true;"),
    "unused pieces in the search": ("if (model.kinds[id] !== UNUSED) this.trie.add", "this.trie.add"),
    "one digit": ('padStart(2, "0")', 'padStart(1, "0")'),
    "unknown pieces side by side": ("out.tokens[last] += part;", "out.ids.push(this.unknown), out.tokens.push(part);"),
    "control pieces come out of text": ("WRITTEN_KINDS = [NORMAL,", "WRITTEN_KINDS = [CONTROL, NORMAL,"),
}


Cases = tuple[str, dict[str, tuple[list[str], Any]]]


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with engine_for(None) as started:
        yield started


@pytest.fixture(scope="module")
def byte_level(engine: Engine) -> Cases:
    """The key of data that the engine has, and for each name texts and what Python makes of them."""
    rng = random.Random(51)
    order = bytes(rng.sample(range(256), 256))
    pair = order.index(ord("a")), order.index(ord("b"))
    own = BytePairModel([pair, (256, 256), (258, 258)], order, GPT4_SPLIT_PATTERN, {"<a>": 900, "<a><b>": 901}, [257])
    texts = [*mixed_texts(52, 250), *hostile_texts(53, 100, surrogates=True)]
    texts += ["<a><b><a>", "ab" * 3, "abababab", "a\n\n ", "x \n ", "!/\n/", "٣٤٥٦٧"]
    texts += ["ſ'ſa ſ'ſa", "'sa 'sa", "中A1 中A1"]
    texts += ["".join(rng.choices("aab", k=300)), "the quick" * 40, "x" * 301, "abcdefghij" * 30]
    models: dict[str, BytePairModel] = {"own": own}
    # Merges that were learned without words go over every border, so that each border counts.
    learned = train(texts[-20:] * 3 + [*mixed_texts(52, 250)], 1500, pattern=None)
    for name in ("gpt2", "cl100k_base", "o200k_base", "minbpe_gpt4"):
        models[f"{name}'s words"] = learned.replace(pattern=PATTERNS[name])
    models["'sa"] = BytePairModel([(39, 115), (256, 97)], pattern=PATTERNS["o200k_base"])
    wanted = {}
    for name, made in [("gpt2", view_of("gpt2")), *((name, view_of(model)) for name, model in models.items())]:
        cuts = [made.cut(text, specials=True) for text in texts]
        wanted[name] = texts, [[list(cut.ids), [bytes(token).hex() for token in cut.tokens]] for cut in cuts]
    # As minbpe has it: of two merges of one pair the later one counts.
    models["twice"] = BytePairModel([(97, 98), (97, 98), (257, 97)])
    wanted["twice"] = ["ab", "aba"], [[[257], ["6162"]], [[258], ["616261"]]]
    engine.ask("data", key="bytes", data=page_data(["gpt2"], models))
    return "bytes", wanted


@pytest.fixture(scope="module")
def pieces(engine: Engine) -> Cases:
    rng = random.Random(54)
    kinds = ["bpe symbols", "bpe across words", "bpe suffix", "unigram symbols, bytes", "unigram suffix", "char bytes"]
    files = {name: trained(name) for name in kinds}
    files["long"] = unigram_cases.trained("plain")
    files["tied"] = unigram_cases.edited(unigram_cases.trained("symbols"), rng, "decimal")
    # By its bytes the user-defined piece is worth more than two others, by its characters less.
    counted = PieceModel(("<unk>", "é", "éé"), (0.0, 0.1, 0.0), (UNKNOWN, NORMAL, USER_DEFINED), "unigram")
    files["counted"] = sentencepiece_proto.to_bytes(counted)
    while len(files) < 70:
        data = random_model(rng)
        try:
            sentencepiece.SentencePieceProcessor(model_proto=data)
            sentencepiece_proto.from_bytes(data)
        except (RuntimeError, MinbpeCourseError):
            continue
        files[f"random {len(files)}"] = data
    wanted = {}
    for name, data in files.items():
        theirs = sentencepiece.SentencePieceProcessor(model_proto=data)
        texts = [text.decode("utf-8", "replace") for text in random_texts(rng, data, 30)]
        texts += ["<s></s>", "ﬁ  ①", "foo bar ", "éééé"]
        if name == "long":
            texts = ["".join(rng.choices("aaabn eé", k=60_000))]
        wanted[name] = texts, [[theirs.encode(text), theirs.encode(text, out_type=str)] for text in texts]
    models = {name: sentencepiece_proto.from_bytes(data) for name, data in files.items()}
    engine.ask("data", key="pieces", data=page_data([], models))
    return "pieces", wanted


def first_difference(engine: Engine, key: str, wanted: dict[str, tuple[list[str], Any]]) -> str | None:
    try:
        engine.ask("use", key=key)
        for name, (texts, answers) in wanted.items():
            found = [[ids, tokens] for ids, tokens, _ in engine.cuts(name, texts, specials=True)]
            for text, mine, theirs in zip(texts, found, answers):
                if mine != theirs:
                    return f"{name}: {text!r}"
    except RuntimeError as error:
        return str(error)
    return None


def planted(old: str, new: str) -> str:
    source = engine_source()
    assert source.count(old) == 1, f"{source.count(old)} places say {old!r}; the fault needs one"
    return source.replace(old, new)


def noticed(engine: Engine, fault: tuple[str, str], cases: Cases) -> bool:
    engine.ask("source", text=planted(*fault))
    return first_difference(engine, *cases) is not None


@pytest.mark.parametrize("unharmed", ["byte_level", "pieces"])
def test_without_a_fault_there_is_no_difference(engine: Engine, unharmed: str, request: pytest.FixtureRequest) -> None:
    engine.ask("source", text=engine_source())
    assert first_difference(engine, *request.getfixturevalue(unharmed)) is None


def test_an_older_browser_repairs_texts_as_well(engine: Engine, byte_level: Cases) -> None:
    engine.ask("source", text=engine_source().replace("text.toWellFormed", "text.notYetThere"))
    assert first_difference(engine, *byte_level) is None


@pytest.mark.parametrize("fault", BYTES)
def test_faults_of_byte_level_tokenizers(engine: Engine, fault: str, byte_level: Cases) -> None:
    assert noticed(engine, BYTES[fault], byte_level)


@pytest.mark.parametrize("fault", PIECES)
def test_faults_of_sentencepiece_models(engine: Engine, fault: str, pieces: Cases) -> None:
    assert noticed(engine, PIECES[fault], pieces)
