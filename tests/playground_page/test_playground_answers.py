"""The answers of the kernel to the playground: the ids of the tokenizer, and merges that end in those ids."""

from __future__ import annotations

import json
import threading
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
import tiktoken

from minbpe_course import BasicTokenizer, Encoding, GPT4Tokenizer, RegexTokenizer, get_encoding, playground
from minbpe_course.corpus import course_text
from minbpe_course.errors import NotAvailable, NotText, UnknownEncoding, UnusableTokenizer
from minbpe_course.inspecting.tokenizer_view import view_of
from minbpe_course.model import BYTE, PieceModel
from minbpe_course.playground_page.answers import MOST_PROBLEM, MOST_TOKENS, Answers
from minbpe_course.playground_page.word_merges import LONGEST_WORD, word_merges
from tests.shared.cases import MISTRAL, hostile_texts
from tests.shared.patience import PATIENCE

pytestmark = pytest.mark.medium

TEXTS = ["hello world", " the  naïve\n\ncafé 日本語 1234567!?", "aaaaaaaaaa", "שלום 👩‍👩‍👧‍👦", *hostile_texts(11, 12)]


class MinbpeTwin:
    """A learner's class in minbpe's shape, with a bug on request."""

    def __init__(self) -> None:
        trained = BasicTokenizer().train(course_text()[:5_000], 300)
        self.merges, self.vocab = trained.merges, trained.vocab
        self._trained = trained

    def encode(self, text: str) -> list[int]:
        return self._trained.encode_ordinary(text)

    def decode(self, ids: list[int]) -> str:
        return self._trained.decode(ids)


class GPT4Twin(MinbpeTwin):
    """As minbpe's GPT4Tokenizer: merges between shuffled bytes."""

    def __init__(self) -> None:
        model = GPT4Tokenizer().model
        self._trained = get_encoding("cl100k_base")
        self.merges = dict(model.ranks)
        self.vocab = dict(model.token_bytes)
        self.byte_shuffle = dict(enumerate(model.byte_ids))
        self.pattern = model.pattern


@pytest.fixture(scope="module")
def tokenizers(filled: Path) -> dict[str, Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_CACHE_DIR", str(filled))
        theirs = tiktoken.get_encoding("cl100k_base")
    ours = get_encoding("gpt2")
    specials = RegexTokenizer().train(course_text()[:20_000], 400)
    specials.register_special_tokens({"<|endoftext|>": 400})
    return {
        "basic": BasicTokenizer().train(course_text()[:5_000], 300),
        "regex": specials,
        "gpt2": "gpt2",
        "p50k_base": "p50k_base",
        "tiktoken": theirs,
        "ranks": Encoding("x", pat_str=ours._pat_str, mergeable_ranks=ours._mergeable_ranks, special_tokens={}),
        "mistral": MISTRAL,
        "sentencepiece": sentencepiece.SentencePieceProcessor(model_file=MISTRAL),
        "minbpe": MinbpeTwin(),
        "shuffled": GPT4Twin(),
    }


KINDS = ["basic", "regex", "gpt2", "p50k_base", "tiktoken", "ranks", "mistral", "sentencepiece", "minbpe", "shuffled"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_merges_of_each_word_end_in_the_tokens_of_the_text(tokenizers: dict[str, Any], kind: str) -> None:
    made = view_of(tokenizers[kind])
    merges: Any = word_merges(made)
    model = merges.model if kind in ("mistral", "sentencepiece") else None
    known = {piece for piece, sort in zip(model.pieces, model.kinds) if sort != BYTE} if model else set()
    for text in TEXTS:
        cut = made.cut(text)
        words = merges.words(text)
        if any(len(word.encode()) > LONGEST_WORD for word in words):
            continue
        steps = [merges.steps(word) for word in words]
        if model:
            # Unknown text becomes bytes only after the last merge; a lone space cannot be typed.
            normal = merges.tokenizer.normalize(text)
            last = [part for each in steps for part in each[-1].parts if part.strip("▁")]  # type: ignore[arg-type]
            assert "".join(last).replace("▁", "") == normal.replace("▁", ""), text
            wanted = [token for token in cut.tokens if token in known and token.strip("▁")]  # type: ignore[arg-type]
            assert [part for part in last if part in known] == wanted, text
        else:
            assert [part for each in steps for part in each[-1].parts] == list(cut.tokens), text


@pytest.mark.parametrize("kind", KINDS)
def test_each_step_joins_two_parts_and_every_token_knows_its_word(tokenizers: dict[str, Any], kind: str) -> None:
    made = view_of(tokenizers[kind])
    merges = word_merges(made)
    for text in TEXTS[:4]:
        for word in merges.words(text):
            steps = merges.steps(word)
            assert (steps[0].rank, steps[0].at) == (None, None)
            for before, after in pairwise(steps):
                at = after.at
                assert at is not None
                assert after.rank is not None
                assert after.rank >= 0
                assert before.parts[at] + before.parts[at + 1] == after.parts[at]  # type: ignore[operator]
                assert before.parts[:at] + before.parts[at + 2 :] == after.parts[:at] + after.parts[at + 1 :]
        cut = made.cut(text)
        found = [merges.word_at(cut, place) for place in range(len(cut))]
        assert list(dict.fromkeys(found)) == list(dict.fromkeys(merges.words(text)))


class Letters:
    """No merges at all."""

    def encode(self, text: str) -> list[int]:
        return list(text.encode("utf-8"))

    def decode(self, ids: list[int]) -> str:
        return bytes(ids).decode("utf-8", "replace")


def test_a_tokenizer_without_merges_gives_the_reason() -> None:
    unigram = PieceModel(("<unk>", "a"), (0.0, -1.0), (2, 1), model_type="unigram")
    for tokenizer, words in ((Letters(), "has no merges to show"), (unigram, "type unigram has no merges")):
        with pytest.raises(NotAvailable, match=words):
            word_merges(view_of(tokenizer))
    odd = MinbpeTwin()
    odd.merges = {(97, 999): 256}
    with pytest.raises(NotAvailable, match="makes 999"):
        word_merges(view_of(odd))
    with pytest.raises(NotAvailable, match="201 bytes"):
        word_merges(view_of("gpt2")).steps("a" * (LONGEST_WORD + 1))


# ----------------------------------------------------------------------------------------------------
# Answers


def asked(answers: Answers, **question: Any) -> Any:
    sent = answers.answer(json.dumps(question))
    assert sent.isascii()
    return json.loads(sent)


def received(token: str) -> bytes | str:
    return token[1:] if token[0] == "s" else token[1:].encode("latin-1")


@pytest.mark.parametrize("kind", KINDS)
def test_a_cut_arrives_as_it_left(tokenizers: dict[str, Any], kind: str) -> None:
    made = view_of(tokenizers[kind])
    answers = Answers({kind: lambda: made})
    for text in TEXTS:
        for specials in (False, True):
            cut = made.cut(text, specials)
            got = asked(answers, kind="cut", name=kind, text=text, specials=specials)
            assert tuple(got["ids"]) == cut.ids
            assert tuple(map(received, got["tokens"])) == cut.tokens[:MOST_TOKENS]
            assert got["special"] == sorted(cut.special)


class Broken(Letters):
    """Raises what it is given."""

    def __init__(self, problem: BaseException) -> None:
        self.problem = problem

    def encode(self, text: str) -> list[int]:
        raise self.problem


class Mute(Exception):
    """Cannot even say what it is."""

    def __str__(self) -> str:
        raise ValueError("no words")


@pytest.mark.parametrize(
    ("problem", "told"),
    [
        (ZeroDivisionError("oh"), "ZeroDivisionError: oh"),
        (SystemExit(3), "SystemExit: 3"),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
        (RuntimeError("<b>\ud800\x00" + "x" * 10**6), "RuntimeError: <b>\ud800"),
        (Mute(), ""),
    ],
    ids=["an error", "exit", "interrupt", "much said", "mute"],
)
def test_what_a_learners_class_raises_is_the_answer(problem: BaseException, told: str) -> None:
    answers = Answers({"mine": lambda: view_of(Broken(problem), "mine")})
    got = asked(answers, kind="cut", name="mine", text="hello")
    assert told in got["problem"]
    assert len(got["problem"]) < MOST_PROBLEM + 200


@pytest.mark.parametrize(
    "question",
    ["", "[]", "{", '{"kind": "cut"}', '{"kind": "nothing", "name": "gpt2"}', '{"kind": "wordAt", "name": "gpt2"}',
     '{"kind": "wordAt", "name": "gpt2", "text": "a", "place": 9}', '{"kind": "cut", "name": "gpt2", "most": "x"}'],
)  # fmt: skip
def test_an_invalid_question_gets_an_answer(question: str) -> None:
    assert "problem" in json.loads(Answers({"gpt2": lambda: view_of("gpt2")}).answer(question))


# ----------------------------------------------------------------------------------------------------
# The widget, as far as it needs no browser


def test_the_widget_takes_any_mix_and_names_each_once(tokenizers: dict[str, Any]) -> None:
    widget = playground("hi", MinbpeTwin(), MinbpeTwin(), tokenizers["tiktoken"], MISTRAL, "gpt2")
    start = json.loads(widget.setup)
    assert start["chosen"] == ["MinbpeTwin", "MinbpeTwin (2)", "cl100k_base", Path(MISTRAL).stem, "gpt2"]
    assert start["names"] == [*start["chosen"], "o200k_base"]
    assert repr(widget) == f"playground('hi', {', '.join(map(repr, start['chosen']))})"
    assert repr(playground("x" * 99)).startswith(f"playground('{'x' * 39}…', 'gpt2'")
    assert json.loads(playground("\ud800</script>").setup)["text"] == "\ud800</script>"


def test_an_object_that_is_not_a_tokenizer_is_refused_at_once() -> None:
    with pytest.raises(UnknownEncoding):
        playground("hi", "gpt9")
    with pytest.raises(UnusableTokenizer):
        playground("hi", object())
    with pytest.raises(NotText, match="comes first"):
        playground(view_of("gpt2"))  # type: ignore[arg-type]


def test_the_widget_answers_while_a_slow_class_works() -> None:
    gate = threading.Event()

    class Slow(Letters):
        def encode(self, text: str) -> list[int]:
            gate.wait(300)
            return super().encode(text)

    widget = playground("", Slow(), "gpt2")
    sent: dict[int, Any] = {}
    arrived = threading.Semaphore(0)

    def send(content: Any, buffers: Any = None) -> None:
        sent[content["number"]] = json.loads(content["answer"])
        arrived.release()

    widget.send = send
    for number, name in enumerate(["Slow", "gpt2", "nobody"]):
        question = json.dumps({"kind": "cut", "name": name, "text": "hello"})
        widget._handle_custom_msg({"view": "v", "number": number, "name": name, "question": question}, [])
    assert arrived.acquire(timeout=PATIENCE)
    assert sent == {1: {"ids": [31373], "tokens": ["bhello"], "special": [], "note": ""}}
    gate.set()
    assert arrived.acquire(timeout=PATIENCE)
    assert sent[0]["ids"] == list(b"hello")
