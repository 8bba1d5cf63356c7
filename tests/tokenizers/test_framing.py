"""Frames and pairs: every encoding call returns the ids that `tokenizers` adds by the post_processor of a file."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer

from minbpe_course import BasicTokenizer, Encoding, SentencePieceTokenizer, encode_corpus, get_encoding, load_tokenizer
from minbpe_course.errors import InvalidOption, MinbpeCourseError, NotAvailable, UnsupportedModel
from minbpe_course.model import PieceModel
from tests.shared import added_token_files
from tests.shared.huggingface_files import PROCESSORS, template

# With those that name ids which no field of the file explains: several ids for one name, texts twice, odd type ids.
SHAPES = list(zip(added_token_files.SHAPES, [*PROCESSORS, *PROCESSORS]))


def framed_file(shape: str, processor: str, seed: int = 0) -> tuple[Tokenizer, Any]:
    """A tokenizer of `tokenizers` and ours, with this post_processor."""
    for attempt in range(seed, seed + 50):
        document = added_token_files.document(shape, attempt)
        tokens = [(token["content"], token["id"]) for token in document["added_tokens"]]
        # Those that can be written in the short form of a template.
        tokens = [token for token in tokens if token[0].split() == [token[0]] and not set(token[0]) & set("AB:")]
        document["post_processor"] = PROCESSORS[processor](tokens[0], tokens[-1])
        witness = Tokenizer.from_str(json.dumps(document))
        try:
            return witness, load_tokenizer(witness)
        except MinbpeCourseError:
            continue
    raise AssertionError(f"no file of the shape {shape!r} can be read")


def answer(witness: Tokenizer, *texts: str) -> Any:
    """The ids and type ids of `tokenizers`; None where it stops, which it does in the middle of some added tokens."""
    try:
        found = witness.encode(*texts)
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        return None
    return found.ids, found.type_ids


def differences(shape: str, processor: str, count: int, seed: int = 0) -> Iterator[tuple[str, ...]]:
    """Yield the texts, and pairs of them, to which the two give other ids or type ids."""
    witness, ours = framed_file(shape, processor, seed)
    rng = random.Random(f"{shape} {processor} {seed}")
    texts = added_token_files.texts(json.loads(witness.to_str()), rng, count)
    single = {text: found[0] for text in texts if (found := answer(witness, text)) is not None}
    options: Any = {"allowed_special": "all"} if isinstance(ours, Encoding) else {}
    yield from ((text,) for text, ids in single.items() if ours.encode(text, frame=True, **options) != ids)
    if ours.encode_batch(list(single), frame=True, **options) != list(single.values()):
        yield ("the batch",)
    if answer(witness, "a", "b") is None:
        with pytest.raises(UnsupportedModel, match="no rule for two texts"):
            ours.encode_pair("a", "b", **options)
        return
    for first, second in zip(single, reversed(single)):
        if ours.encode_pair(first, second, **options) != answer(witness, first, second):
            yield first, second


@pytest.mark.parametrize(("shape", "processor"), SHAPES)
def test_frames_and_pairs_are_those_of_tokenizers(shape: str, processor: str) -> None:
    assert list(differences(shape, processor, 60)) == []


def test_a_chain_of_post_processors_is_followed_step_by_step() -> None:
    """Each works on the segments that the one before has made, which only `tokenizers` itself can tell."""
    document = added_token_files.document("phi-2")
    token = document["added_tokens"][0]
    cls = [token["content"], token["id"]]
    bare: dict[str, Any] = {"type": "RobertaProcessing", "cls": cls, "sep": ["x", 3]}
    steps = {
        "front": template("x A", "x A B:1", {"x": 5}),
        "back": template("A:4 y", "A y:2 B:3", {"y": 6}),
        "swap": template("A", "B:1 x:5 A:7 A:2", {"x": 5}),
        "roberta": {**bare, "trim_offsets": True, "add_prefix_space": False},
        "roberta without options, which is read as BERT's": bare,
        "bert": {**bare, "type": "BertProcessing"},
    }
    different, refused, stopped = [], [], 0
    for chain in [*product(steps, steps), *zip(steps)]:
        document["post_processor"] = {"type": "Sequence", "processors": [steps[each] for each in chain]}
        witness = Tokenizer.from_str(json.dumps(document))
        try:
            ours = load_tokenizer(witness)
        except UnsupportedModel:
            refused.append(chain)
            continue
        pair = answer(witness, "a b", "c")
        stopped += pair is None
        same = ours.encode("a b", frame=True) == witness.encode("a b").ids
        if not same or (pair is not None and ours.encode_pair("a b", "c") != pair):
            different.append(chain)
    assert different == []
    # It would put the text there twice.
    assert refused == [("back", "swap")]
    assert stopped > 0


@pytest.mark.parametrize("shape", ["phi-2", "random, Llama's pieces"])
def test_every_encoding_call_takes_a_frame(shape: str, tmp_path: Path) -> None:
    witness, ours = framed_file(shape, "roberta")
    texts = ["hello world", "", "two\nlines"]
    wanted = [each.ids for each in witness.encode_batch(texts)]
    path = tmp_path / "a.txt"
    path.write_text(texts[0], encoding="utf-8")
    assert [ours.encode(text, frame=True) for text in texts] == wanted
    assert [ours.encode_to_array(text, frame=True).tolist() for text in texts] == wanted
    assert ours.encode_to_array(texts[0], frame=True).dtype == np.uint32
    assert ours.encode_batch(texts, frame=True) == wanted
    assert [ours.encode_segments([(text, True)], frame=True) for text in texts] == wanted
    assert [ours.count(text, frame=True) for text in texts] == [*map(len, wanted)]
    assert ours.count_batch(texts, frame=True).tolist() == [*map(len, wanted)]
    fitting = [ours.truncate(texts[0], number, frame=True) for number in range(len(wanted[1]), len(wanted[0]) + 1)]
    assert [ours.count(text, frame=True) for text in fitting] == [*range(len(wanted[1]), len(wanted[0]) + 1)]
    with pytest.raises(InvalidOption, match="whole number from"):
        ours.truncate(texts[0], len(wanted[1]) - 1, frame=True)
    ids, places = ours.encode_batch_to_array(texts, frame=True)
    assert [part.tolist() for part in np.split(ids, places[places < len(ids)])][-3:] == wanted
    if isinstance(ours, Encoding):
        assert [ours.encode_ordinary(text, frame=True) for text in texts] == wanted
        assert ours.encode_ordinary_batch(texts, frame=True) == wanted
    else:
        assert ours.encode(texts, frame=True) == wanted
        assert ours.encode(texts[0], frame=True, out_type=str) == ours.id_to_piece(wanted[0])
        assert ours.encode_as_numpy(texts[0], frame=True).tolist() == wanted[0]
        with pytest.raises(NotAvailable, match="frame must be False"):
            ours.encode_as_proto(texts[0], frame=True)
    end = wanted[0][0]
    found, ends = ours.encode_files(path, tmp_path / "a.npy", frame=True, append=end)
    assert (found.tolist(), ends.tolist()) == ([*wanted[0], end], [len(wanted[0]) + 1])
    shards = encode_corpus(path, ours, tmp_path / "tokens", frame=True, append=end)
    assert [each.tolist() for each in shards.each_document()] == [[*wanted[0], end]]
    more = tmp_path / "b.txt"
    more.write_text(texts[2], encoding="utf-8")
    for files in ([path], [path, more]):
        shards = encode_corpus(files, ours, tmp_path / "tokens", frame=True, append=end)
    assert [each.tolist() for each in shards.each_document()] == [[*wanted[0], end], [*wanted[2], end]]
    # Both ids are in the file's own frame, so the frame is part of what the folder holds.
    with pytest.raises(MinbpeCourseError, match="choice of frame"):
        encode_corpus([path, more], ours, tmp_path / "tokens", append=end)


def test_without_a_post_processor_nothing_is_added() -> None:
    ours = get_encoding("gpt2")
    assert ours.encode("hello", frame=True) == ours.encode("hello")
    assert ours.encode_pair("a", "b") == (ours.encode("a") + ours.encode("b"), [0, 1])
    assert BasicTokenizer().encode("ab", frame=True) == [97, 98]
    assert BasicTokenizer().encode_pair("ab", "c") == ([97, 98, 99], [0, 0, 1])
    pieces = SentencePieceTokenizer(model=PieceModel(("<unk>", "<s>", "▁"), (0.0, 0.0, -1.0), (2, 3, 1)))
    assert pieces.encode("a", add_bos=True, frame=True) == [1, 2, 0]
    assert pieces.encode_pair("a", "a") == ([2, 0, 2, 0], [0, 0, 1, 1])
