"""Every format with every awkward model: it comes back byte for byte, or the writer refuses it with a reason.

    read(write(record)) is the record, or the simplest record that does the same;
    writing that again gives the same files; nothing that was given is changed;
    a model that does not fit raises UnsupportedModel, with the reason that ``why_not`` gives.

A new format needs one line in ``FORMATS``. The tests of each format check with the original library that the reasons
are true.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from minbpe_course.engines.same_ids import same_model
from minbpe_course.errors import UnsupportedModel
from minbpe_course.formats import (
    gpt2_merges,
    huggingface_json,
    minbpe_text,
    sentencepiece_proto,
    tekken_json,
    tiktoken_ranks,
)
from minbpe_course.model import BytePairModel, PieceModel, VocabularyModel
from tests.formats.awkward_models import LARGE, awkward_model, labels

pytestmark = pytest.mark.slow


class Held(NamedTuple):
    """How the tests write and read one format.

    write, read : given a path in an empty folder · name : of that path · takes : the records it may hold at all ·
    why_not : None for a format that holds every record that it takes · large : the largest models that are tried.
    """

    write: Callable[[Any, Path], Path]
    read: Callable[[Path], Any]
    name: str
    takes: tuple[type, ...]
    why_not: Callable[[Any], str | None] | None = None
    large: frozenset[str] = LARGE - {"tekken of o200k"}


BYTES = (BytePairModel, VocabularyModel)
FORMATS: Mapping[str, Held] = {
    "minbpe": Held(
        minbpe_text.write, lambda path: minbpe_text.read(f"{path}.model"), "mine", BYTES, minbpe_text.why_not
    ),
    "gpt2": Held(gpt2_merges.write, gpt2_merges.read, "mine", BYTES, gpt2_merges.why_not),
    "gpt2, as released": Held(
        gpt2_merges.write, gpt2_merges.read, "encoder.json", BYTES, gpt2_merges.why_not, frozenset({"gpt2"})
    ),
    "huggingface": Held(
        huggingface_json.write, huggingface_json.read, "tokenizer.json", BYTES, huggingface_json.why_not
    ),
    "tiktoken": Held(tiktoken_ranks.write, tiktoken_ranks.read, "mine.tiktoken", BYTES, tiktoken_ranks.why_not),
    "tekken": Held(tekken_json.write, tekken_json.read, "tekken.json", BYTES, tekken_json.why_not, LARGE),
    "sentencepiece": Held(sentencepiece_proto.write, sentencepiece_proto.read, "mine.model", (PieceModel,)),
}


def files_in(folder: Path) -> dict[str, bytes]:
    return {each.relative_to(folder).as_posix(): each.read_bytes() for each in folder.rglob("*") if each.is_file()}


def same(record: Any, back: Any) -> bool:
    """Whether what came back is the record, or both are the same model in another form."""
    if record == back:
        return True
    return not isinstance(record, PieceModel) and same_model(record, back)


@pytest.mark.parametrize("label", labels())
@pytest.mark.parametrize("form", FORMATS)
def test_a_model_comes_back_or_is_refused(form: str, label: str, tmp_path: Path) -> None:
    held = FORMATS[form]
    if label in LARGE - held.large:
        return
    record = awkward_model(label)
    if not isinstance(record, held.takes):
        return
    before = pickle.dumps(record) if label not in LARGE else b""
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    try:
        held.write(record, first / held.name)
    except UnsupportedModel as error:
        refused = str(error)
    else:
        refused = ""
    if refused:
        reason = held.why_not(record) if held.why_not else None
        assert reason is not None
        assert reason in refused
        assert files_in(tmp_path) == {}
        return
    back = held.read(first / held.name)
    assert same(record, back)
    held.write(back, second / held.name)
    assert files_in(second) == files_in(first)
    assert list(back.special_tokens) == list(record.special_tokens) if isinstance(record, BytePairModel) else True
    if before:
        assert pickle.dumps(record) == before
        assert record == pickle.loads(before)


@pytest.mark.parametrize("form", FORMATS)
def test_each_format_holds_many_of_them(form: str, tmp_path: Path) -> None:
    """A format that refused everything would pass the test above."""
    held = FORMATS[form]
    taken = [label for label in labels(large=False) if isinstance(awkward_model(label), held.takes)]
    kept = 0
    for at, label in enumerate(taken):
        (tmp_path / str(at)).mkdir()
        try:
            held.write(awkward_model(label), tmp_path / str(at) / held.name)
            kept += 1
        except UnsupportedModel:
            pass
    assert kept >= 5
