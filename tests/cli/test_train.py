"""minbpe-course train: the model is the library's, and gives the same ids when it is loaded again."""

from __future__ import annotations

import io
import json

import pytest
import sentencepiece

from minbpe_course import train
from minbpe_course.cli import terminal
from minbpe_course.corpus import course_text
from minbpe_course.formats import minbpe_text, sentencepiece_proto
from minbpe_course.tokenizers.loading import load_tokenizer

pytestmark = pytest.mark.medium

TEXT = course_text()[:20_000].replace("<|", "<")


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_bytes(TEXT.encode("utf-8"))
    return path


@pytest.mark.parametrize("pattern", ["cl100k_base", "none"])
@pytest.mark.parametrize("tie_break", ["first-seen", "greatest-bytes"])
def test_files_and_pipes_of_any_cut_give_the_model_of_the_whole_text(verbs, tmp_path, corpus, tiny, pattern, tie_break):
    out = tmp_path / "mine.model"
    options = ["-n", 300, "--pattern", pattern, "--tie-break", tie_break, "--special", "the", "--special", "<|end|>"]
    done = verbs("train", *options, "-o", out, corpus)
    said = f"{out}: 300 tokens: 256 bytes, 42 merges, 2 special tokens, in the format minbpe\r\n"
    assert done == (0, said.encode(), "")
    cut = {"pattern": None if pattern == "none" else pattern, "special_tokens": ["the", "<|end|>"]}
    wanted = train(TEXT, 300, tie_break=tie_break, **cut)
    assert minbpe_text.read(out) == wanted
    assert verbs("train", *options, "-o", tmp_path / "piped.model", "-", stdin=TEXT.encode()).code == 0
    assert (tmp_path / "piped.model").read_bytes() == out.read_bytes()
    ids = verbs("encode", "-t", out, "--specials", "all", corpus)
    assert [int(each) for each in ids.out.split()] == load_tokenizer(wanted).encode(TEXT, allowed_special="all")
    assert verbs("decode", "-t", out, stdin=ids.out).out == TEXT.encode()


def test_stages_are_those_of_the_library(verbs, tmp_path, corpus):
    out, counts = tmp_path / "mine.model", tmp_path / "phrases.counts"
    given = ["-n", 600, "--stage", 400, "gpt2", "--stage", 500, "cl100k_base", "-j", 1]
    assert verbs("train", *given, "-o", out, corpus).code == 0
    wanted = train(TEXT, 600, stages=[(400, "gpt2"), (500, "cl100k_base")])
    assert minbpe_text.read(out) == wanted
    assert verbs("count", corpus, "--pattern", "superwords", "-o", counts).code == 0
    assert verbs("train", *given, "-o", tmp_path / "counted.model", counts).code == 0
    assert (tmp_path / "counted.model").read_bytes() == out.read_bytes()
    assert verbs("train", "-n", 600, "--stage", 400, "none", "--pattern", "gpt2", "-o", out, corpus).code == 0
    assert minbpe_text.read(out) == train(TEXT, 600, pattern="gpt2", stages=[(400, None)])


def test_a_base_is_continued_as_in_the_library(verbs, tmp_path, corpus):
    base, out, counts = tmp_path / "base.model", tmp_path / "longer.json", tmp_path / "gpt2.counts"
    options = ["--pattern", "gpt2", "--special", "<|end|>", "-n", 300, "-o", base]
    assert verbs("train", corpus, *options).code == 0
    wanted = train(TEXT, 350, base=base)
    assert wanted.special_tokens == {"<|end|>": 299}
    longer = ["--base", base, "-n", 350, "--format", "huggingface", "-o", out]
    assert verbs("train", corpus, *longer).code == 0
    assert load_tokenizer(out).encode(TEXT) == load_tokenizer(wanted).encode(TEXT)
    assert verbs("count", corpus, "--pattern", "gpt2", "-o", counts).code == 0
    first = out.read_bytes()
    assert verbs("train", counts, *longer).code == 0
    assert out.read_bytes() == first
    assert "its own pattern" in verbs("train", corpus, *longer, "--pattern", "gpt2").err
    assert "give 800" in verbs("train", corpus, "--base", base, "-n", 299, "-o", out).err


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["-n", 600, "--stage", 700, "gpt2"], "from 256 to 600"),
        (["-n", 600, "--stage", 400, "gpt-2"], "Did you mean 'gpt2'"),
        (["-n", 600, "--stage", 400, "gpt2", "--format", "gpt2"], "-o mine.model, mine.tiktoken"),
    ],
)
def test_stages_that_make_no_sense_are_refused_before_counting(verbs, tmp_path, corpus, given, said):
    done = verbs("train", *given, "-o", tmp_path / "mine.model", corpus)
    assert done.code == 2
    assert said in done.err
    assert not (tmp_path / "mine.model").exists()


def test_lines_and_fields_are_texts_of_their_own(verbs, tmp_path, tiny):
    lines = ["ab" * 4, "ab", "", "b" * 9]
    out = tmp_path / "mine.model"
    data = "\n".join(lines).encode()
    assert verbs("train", "--lines", "-n", 262, "--pattern", "none", "-o", out, stdin=data).code == 0
    wanted = train(lines, 262, pattern=None)
    assert minbpe_text.read(out) == wanted
    data = "\n".join(json.dumps({"text": line}) for line in lines).encode()
    assert verbs("train", "--field", "text", "-n", 262, "--pattern", "none", "-o", out, stdin=data).code == 0
    assert minbpe_text.read(out) == wanted


@pytest.mark.parametrize("kind", ["bpe", "unigram"])
def test_sentencepiece_models_are_those_of_sentencepiece(verbs, tmp_path, corpus, kind):
    out = tmp_path / "sp.model"
    options = ["--set", "hard_vocab_limit=false", "--set", "character_coverage=0.99", "--special", "<x>"]
    done = verbs("train", "--kind", f"sentencepiece-{kind}", "-n", 300, *options, "-j", 1, "-o", out, corpus)
    assert done.code == 0, done.err
    assert f"{len(sentencepiece_proto.read(out))} pieces" in done.out.decode()
    theirs = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(TEXT.split("\n")), model_writer=theirs, model_type=kind, vocab_size=300,
        hard_vocab_limit=False, character_coverage=0.99, user_defined_symbols=["<x>"], num_threads=1, minloglevel=2,
    )  # fmt: skip
    if kind == "bpe":
        assert out.read_bytes() == theirs.getvalue()
    witness = sentencepiece.SentencePieceProcessor(model_proto=theirs.getvalue())
    wanted = [witness.encode(line) for line in TEXT.split("\n")[:-1]]
    got = verbs("encode", "-t", out, "--lines", "--format", "json", stdin=TEXT.rpartition("\n")[0].encode() + b"\n").out
    assert json.loads(got) == wanted


def test_what_cannot_be_is_refused_before_anything_is_read(verbs, tmp_path, corpus):
    for options, says in (
        (["-n", 300, "-o", tmp_path / "mine.xyz"], "does not say in which format to write. Say --format"),
        (["-n", 300, "--pattern", "[", "-o", tmp_path / "mine.model"], "not a regular expression"),
        (["-n", 300, "--kind", "sentencepiece-bpe", "--pattern", "gpt2", "-o", tmp_path / "m"], "--pattern goes with"),
        (["-n", 300, "--pattern", r"\w+", "--format", "gpt2", "-o", tmp_path / "m"], "cannot hold such a model"),
        (["-n", 300, "--special", "a b", "-o", tmp_path / "m.model"], "its special token 'a b' has white space"),
    ):
        done = verbs("train", *options, corpus, "-", stdin=b"\xff is never looked at")
        assert (done.code, done.out) == (2, b"")
        assert says in done.err, done.err
        assert list(tmp_path.iterdir()) == [corpus]


def test_a_text_that_runs_out_of_pairs_writes_the_smaller_model_and_exits_1(verbs, tmp_path):
    out = tmp_path / "mine.model"
    done = verbs("train", "-n", 300, "-o", out, stdin=b"aaab")
    assert (done.code, "the vocabulary has 259 tokens, not 300" in done.err) == (1, True)
    assert b"259 tokens: 256 bytes, 3 merges" in done.out
    assert load_tokenizer(out).decode(load_tokenizer(out).encode("aaab")) == "aaab"
    again = verbs("train", "-n", 259, "-o", out, stdin=b"aaab")
    assert (again.code, again.err) == (0, "")


def test_progress_is_shown_on_a_terminal_only(verbs, tmp_path, corpus, tiny, monkeypatch):
    monkeypatch.setattr(terminal, "_SECONDS_BETWEEN_UPDATES", 0)
    train_it = ["train", "-n", 300, "-o", tmp_path / "mine.model", corpus]
    quiet = verbs(*train_it)
    model = (tmp_path / "mine.model").read_bytes()
    watched = verbs(*train_it, watched=True)
    assert (quiet.err, quiet.out, model) == ("", watched.out, (tmp_path / "mine.model").read_bytes())
    seen = watched.err.split("\r")
    assert any(line.startswith("merge 44 of 44: b'") for line in seen)
    assert f"{corpus.stat().st_size / 1000:.1f} kB read" in watched.err
    assert all(len(line) < 80 for line in seen)
    assert not seen[-1].strip(), "at the end the line is empty again"
    for verb in ("encode", "count"):
        watched = verbs(verb, corpus, watched=True)
        assert "kB read" in watched.err
        assert watched.out == verbs(verb, corpus).out
