"""Files opened in the page: the same ids as the library that each file belongs to, and clear words about all others."""

from __future__ import annotations

import base64
import json
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
import tiktoken
from mistral_common.tokens.tokenizers.tekken import Tekkenizer
from tokenizers import Tokenizer

from minbpe_course import BasicTokenizer, RegexTokenizer, use_bundled_vocabularies
from minbpe_course.corpus import course_text
from minbpe_course.playground_page.page_data import page_data
from tests.formats import piece_file_cases
from tests.formats.bombs import BYTE_LEVEL, MINBPE, PIECES_JSON, PROTO, splits, tokenizer_json
from tests.formats.bombs import TEKKEN as TEKKEN_BOMBS
from tests.playground_page.page_engine import Engine, engine_for
from tests.shared import added_token_files
from tests.shared.browser import Tab, serious_faults
from tests.shared.cases import hostile_texts, mixed_texts
from tests.shared.huggingface_files import asked, trained_by_tokenizers
from tests.shared.piece_cases import NAMES, mistral_files, trained
from tests.shared.playground_hands import eventually, in_a_text_box, put_each, tokens

pytestmark = [pytest.mark.medium, pytest.mark.browser]

TEXTS = ["", *mixed_texts(51, 200), *hostile_texts(52, 150)]
TEKKEN = Path(mistral_files()["v7"]).with_name("tekken_240911.json")
Witness = Callable[[str], list[int]]


@pytest.fixture(scope="module", autouse=True)
def _bundled() -> None:
    use_bundled_vocabularies()


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with engine_for(page_data(["gpt2"])) as started:
        yield started


def assert_same(engine: Engine, name: str, witness: Witness, texts: list[str] = TEXTS) -> None:
    for text, ids in zip(texts, engine.ids(name, texts, specials=True), strict=True):
        assert ids == witness(text), (name, text)


def tiktoken_file(name: str) -> bytes:
    ranks = tiktoken.get_encoding(name)._mergeable_ranks
    return b"".join(b"%b %d\n" % (base64.b64encode(token), rank) for token, rank in ranks.items())


# ---- The ids of each library


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
def test_a_tiktoken_file(engine: Engine, name: str) -> None:
    facts = engine.open(name, tiktoken_file(name))
    assert facts["pattern"] == name
    assert "neither a split pattern nor special tokens" in facts["note"]
    assert_same(engine, name, tiktoken.get_encoding(name).encode_ordinary)
    # With another pattern it is another tokenizer.
    engine.open(name, tiktoken_file(name), pattern="gpt2")
    ranks, gpt2 = tiktoken.get_encoding(name)._mergeable_ranks, tiktoken.get_encoding("gpt2")._pat_str
    other = tiktoken.Encoding("other", pat_str=gpt2, mergeable_ranks=ranks, special_tokens={})
    assert_same(engine, name, other.encode_ordinary, TEXTS[:200])


def test_a_tekken_json(engine: Engine) -> None:
    engine.open("tekken", TEKKEN.read_bytes())
    tekken = Tekkenizer.from_file(TEKKEN)
    for text, ids in zip(TEXTS, engine.ids("tekken", TEXTS)):
        assert ids == tekken.encode(text, bos=False, eos=False), text
    assert engine.ids("tekken", ["<s>[INST]"], specials=True) == [[1, 3]]


def test_sentencepiece_models_of_every_kind(engine: Engine) -> None:
    """BPE, unigram, characters and words, with each normalization that sentencepiece has."""
    for name in NAMES:
        engine.open(name, trained(name))
        witness = sentencepiece.SentencePieceProcessor(model_proto=trained(name)).encode
        assert_same(engine, name, witness, TEXTS if name in NAMES[:2] else TEXTS[::10])


def test_tokenizer_json_as_tokenizers_trains_them(engine: Engine) -> None:
    rng = random.Random(7)
    for name, theirs in trained_by_tokenizers().items():
        engine.open(name, theirs.to_str().encode())
        added = [token.content for token in theirs.get_added_tokens_decoder().values()]
        texts = [text + rng.choice(["", "", *added]) + text[:7] for text in TEXTS]
        assert_same(engine, name, lambda text, theirs=theirs: theirs.encode(text, add_special_tokens=False).ids, texts)


@pytest.mark.parametrize("shape", ["phi-2", "whisper", "gpt-neox", "random"])
def test_plain_added_tokens_where_special_tokens_are_ordinary_text(engine: Engine, shape: str) -> None:
    for seed in range(8 if shape == "random" else 1):
        document = added_token_files.document(shape, seed)
        if any(token["single_word"] for token in document["added_tokens"]):
            continue
        theirs = added_token_files.witness(document)
        engine.open(shape, json.dumps(document).encode())
        texts = added_token_files.texts(document, random.Random(seed), 100)
        for specials in (False, True):
            theirs.encode_special_tokens = not specials
            wanted = [asked(theirs, text) for text in texts]
            found = engine.ids(shape, texts, specials=specials)
            assert [ids if ids is None else here for ids, here in zip(wanted, found)] == wanted, (seed, specials)


UNIGRAM = [kind for kind in piece_file_cases.KINDS if piece_file_cases.file_of(kind)["model"]["type"] == "Unigram"]
PREFIX_AT_THE_START = "unigram, first"


@pytest.mark.parametrize("kind", [*UNIGRAM, "Llama 2", "Gemma"])
def test_tokenizer_json_of_pieces(engine: Engine, kind: str) -> None:
    text = json.dumps(piece_file_cases.file_of(kind))
    if kind == PREFIX_AT_THE_START:
        with pytest.raises(RuntimeError, match=r"does not run the step Metaspace \(first\) before Unigram"):
            engine.open(kind, text.encode())
        return
    engine.open(kind, text.encode())
    theirs = Tokenizer.from_str(text)
    texts = [*piece_file_cases.hostile_texts(1500, 8), "x" * 5_000, "\ue000" * 3, *TEXTS[::2]]
    assert_same(engine, kind, lambda text: theirs.encode(text, add_special_tokens=False).ids, texts)


def test_minbpe_files(engine: Engine, tmp_path: Path) -> None:
    regex_model = RegexTokenizer()
    regex_model.train(course_text()[:20_000], 400)
    regex_model.register_special_tokens({"<|end|>": 400})
    basic = BasicTokenizer().train(course_text()[:5_000], 300)
    for number, tokenizer in enumerate([regex_model, basic]):
        tokenizer.save(str(tmp_path / f"m{number}"))
        engine.open("minbpe", (tmp_path / f"m{number}.model").read_bytes())
        assert_same(engine, "minbpe", lambda text, tokenizer=tokenizer: tokenizer.encode(text, allowed_special="all"))


# ---- What cannot be opened


def changed(**parts: Any) -> bytes:
    document = json.loads(trained_by_tokenizers()["GPT-2's way"].to_str())
    model = document["model"] | parts.pop("model", {})
    return json.dumps(document | parts | {"model": model}).encode()


REFUSED = {
    "WordPiece": (lambda: b'{"model": {"type": "WordPiece", "vocab": {}}}', "its model is WordPiece"),
    "unknown characters": (lambda: changed(pre_tokenizer=None), "only with byte_fallback"),
    "Lowercase": (lambda: changed(normalizer={"type": "Lowercase"}), "normalizer Lowercase"),
    "no bytes": (lambda: changed(model={"vocab": {"a": 0}, "merges": []}), "no token for the byte 0x00"),
    "JSON": (lambda: b'{"a": 1}', "neither a tokenizer.json nor a tekken.json"),
    "half": (lambda: changed()[:1000], "not complete JSON"),
    "LFS": (lambda: b"version https://git-lfs.github.com/spec/v1\n", "Git LFS"),
    "nothing": (lambda: b"", "not a tokenizer that this page knows"),
    "ranks": (lambda: b"IQ== 0\nIg==\n", "line 2"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_other_files_are_refused_with_a_reason(engine: Engine, what: str) -> None:
    make, reason = REFUSED[what]
    with pytest.raises(RuntimeError) as caught:
        engine.open("mine", make())
    assert "mine cannot be opened: " in str(caught.value)
    assert reason in str(caught.value)
    assert "playground() and show() take more files" in str(caught.value)


# ---- In the browser


def test_files_are_opened_in_chromium(new_tab: Callable[..., Tab], playground_page: Path, tmp_path: Path) -> None:
    """Files opened in the page, hostile texts typed, and the ids of the libraries that the files belong to."""
    unigram = next(name for name in NAMES if "unigram" in name)
    files = {"cl100k.tiktoken": tiktoken_file("cl100k_base"), "unigram.model": trained(unigram)}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    witnesses: dict[str, Witness] = {
        "cl100k.tiktoken": tiktoken.get_encoding("cl100k_base").encode_ordinary,
        "unigram.model": sentencepiece.SentencePieceProcessor(model_proto=trained(unigram)).encode,
    }
    tab = new_tab()
    tab.page.goto(f"{playground_page.as_uri()}#text=&with=")
    tab.page.get_by_label("Files of tokenizers").set_input_files([tmp_path / name for name in files])
    for name in files:
        tab.page.get_by_role("checkbox", name=name, exact=True).wait_for()
    eventually(tab.page.locator(".mbp-panel").count, len(files))
    texts = [in_a_text_box(text)[:120] for text in TEXTS[::4]]
    for text, panels in zip(texts, put_each(tab.page, texts), strict=True):
        for name, witness in witnesses.items():
            assert panels[name]["ids"] == witness(text), (name, text)
    # The split pattern of a .tiktoken file can be chosen; the engine's tests compare the ids.
    put_each(tab.page, ["I'LL 1234567 x();\n\n\n y"])
    before = tokens(tab, "cl100k.tiktoken").count()
    tab.page.get_by_label("Split pattern of cl100k.tiktoken").select_option("gpt2")
    eventually(lambda: tokens(tab, "cl100k.tiktoken").count() != before, True)
    assert serious_faults(tab.page) == []
    tab.expect_quiet()


_DROP = """(name) => {
  const data = new DataTransfer();
  data.items.add(new File([new TextEncoder().encode(window.dropped)], name));
  const send = (kind) => document.body.dispatchEvent(
    new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));
  send("dragover");
  const seen = document.querySelector(".mbp-over") !== null;
  return [seen, send("drop"), document.querySelector(".mbp-over") === null];
}"""


def test_a_file_is_dropped_and_a_bad_one_explained(new_tab: Callable[..., Tab], playground_page: Path) -> None:
    tab = new_tab(viewport={"width": 375, "height": 900}, dark=True)
    tab.page.goto(f"{playground_page.as_uri()}#text=hello&with=gpt2")
    name = "<img src=x onerror='window.hit=1'>.json"
    for text in ("not a tokenizer", trained_by_tokenizers()["Qwen's way"].to_str()):
        tab.page.evaluate("(text) => { window.dropped = text; }", text)
        # The browser must not open the file itself, so the event was cancelled.
        assert tab.page.evaluate(_DROP, name) == [True, False, True]
        if text == "not a tokenizer":
            problem = tab.page.locator(".mbp-problem").first
            eventually(lambda problem=problem: "cannot be opened" in problem.inner_text(), True)
            assert serious_faults(tab.page) == []
    tab.page.get_by_role("checkbox", name=name, exact=True).wait_for()
    theirs = trained_by_tokenizers()["Qwen's way"]
    ids = theirs.encode("hello", add_special_tokens=False).ids
    eventually(lambda: tab.page.locator(".mbp-panel").nth(1).locator(".mbp-box").count(), len(ids))
    # The merges of its words can be seen as well.
    tab.page.get_by_label("Tokenizer", exact=True).select_option(name)
    eventually(lambda: "".join(tab.page.locator(".mbp-parts .mbp-part").all_inner_texts()), "hello")
    assert tab.page.evaluate("document.documentElement.scrollWidth") == 375
    assert tab.page.evaluate("window.hit") is None
    tab.expect_quiet()


# ---- Bombs: the limits of Python, and a worker that is ended


@pytest.mark.parametrize(
    ("bomb", "reason"),
    [
        (TEKKEN_BOMBS["549,755,813,888 special tokens"], "549755813888 special tokens"),
        (BYTE_LEVEL["normalizer: 28 times a by aa, as patterns"], "longer than"),
        (BYTE_LEVEL["normalizer: forms and growth"], "longer than"),
        (BYTE_LEVEL["1,000 different splits"], "more than 32 pretokenizers"),
        (BYTE_LEVEL["a split by counts"], "once its counts are written out"),
        (PIECES_JSON["normalizer: a by 1 MB, as a pattern"], "longer than"),
        (MINBPE["31 doubling merges"], "tokens of more than"),
        (PROTO["a by 1 MB"], "longer than"),
    ],
)
def test_small_files_cannot_ask_for_much(engine: Engine, bomb: str | bytes, reason: str) -> None:
    def use() -> None:
        engine.open("bomb", bomb if isinstance(bomb, bytes) else bomb.encode())
        engine.ids("bomb", ["a" * 5000])

    with pytest.raises(RuntimeError, match=re.escape(reason)):
        use()


def test_a_file_without_end_is_stopped_and_the_page_goes_on(new_tab: Callable[..., Tab], playground_page: Path) -> None:
    tab = new_tab()
    tab.page.goto(f"{playground_page.as_uri()}#text=a&with=gpt2")
    slow = tokenizer_json(pre_tokenizer=splits(r"(a|aa)+b|[\s\S]"))
    tab.page.evaluate("(text) => { window.dropped = text; }", slow)
    tab.page.evaluate(_DROP, "slow.json")
    tab.page.get_by_role("checkbox", name="slow.json", exact=True).wait_for()
    panels = tab.page.locator(".mbp-panel")
    eventually(lambda: panels.nth(1).locator(".mbp-box").count(), 1)
    # The other tokenizer answers while the file's is stopped, and the file's answers again to another text.
    for text, count in (("a" * 200, None), ("aab", 2)):
        tab.page.get_by_label("Text", exact=True).fill(text)
        eventually(lambda: panels.nth(0).locator(".mbp-box").count() > 0, True)
        if count is None:
            eventually(lambda: "was stopped" in panels.nth(1).locator(".mbp-problem").inner_text(), True)
        else:
            eventually(lambda: panels.nth(1).locator(".mbp-box").count(), count)
    tab.expect_quiet()
