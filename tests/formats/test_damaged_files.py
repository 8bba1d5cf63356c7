"""Damaged files of every format: an error that names the place, or a model that can be used and comes back."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from minbpe_course import Encoding, SentencePieceTokenizer
from minbpe_course.errors import MinbpeCourseError
from minbpe_course.formats.any_format import FORMATS
from minbpe_course.model import PieceModel
from minbpe_course.tokenizers.loading import difference
from tests.formats.awkward_models import awkward_model
from tests.shared.huggingface_files import file_of_kind
from tests.shared.mutated_files import mutants

pytestmark = pytest.mark.medium

COUNT = 120
PLACE = re.compile(
    r"\A(?:tokenizer\.json|a\.tiktoken)|\bline \d|\$[.:\[,]|\$$|\boffset \d|\bmerge \d|\bthere is no |\bbyte 0x|pattern"
    r"|\bwith the id \d|No such file"
)
FILES = {
    "minbpe": ("a.model", ("odd bytes", "plain", "specials in Unicode")),
    "gpt2": ("", ("plain", "odd bytes", "merges, specials first")),
    "tiktoken": ("a.tiktoken", ("plain", "ranks with holes", "specials with quotes")),
    "huggingface": ("tokenizer.json", ("plain", "a frame", "ranks, specials first")),
    "sentencepiece": ("b.model", ("pieces", "pieces of bytes", "pieces with kinds", "unigram")),
    "tekken": ("tekken.json", ("ranks, specials first", "ranks, no special")),
    "wordpiece": ("vocab.txt", ()),
}


def undamaged(form: str, folder: Path) -> dict[str, dict[str, bytes]]:
    """Return label -> file name -> content."""
    file, labels = FILES[form]
    models = {}
    for label in labels:
        FORMATS[form].write(awkward_model(label), folder / label / file)
        models[label] = {each.name: each.read_bytes() for each in (folder / label).iterdir() if each.suffix != ".vocab"}
    if form == "huggingface":
        models |= {kind: {file: file_of_kind(kind).encode()} for kind in ("falcon", "clip")}
    if form == "wordpiece":
        models = {"words": {file: "\n".join(["[UNK]", "[CLS]", "[SEP]", *"ab!é中", "##a", "##bc", "ab"]).encode()}}
    return models


def used(record: Any) -> None:
    pieces = isinstance(record, PieceModel)
    tokenizer: Any = SentencePieceTokenizer(model=record) if pieces else Encoding.from_model(record)
    tokenizer.decode(tokenizer.encode("aab abc Aa\n <|x|> é 12"))


@pytest.mark.parametrize("form", FILES)
def test_damage_is_refused_with_its_place_or_gives_a_model_that_comes_back(form: str, tmp_path: Path) -> None:
    for label in FILES[form][1]:
        (tmp_path / label).mkdir()
    counts: Counter[str] = Counter()
    patterns = {getattr(awkward_model(label), "pattern", None) for label in FILES[form][1]}
    placeless = []
    for mutant in mutants(undamaged(form, tmp_path), seed=2024, count=COUNT):
        path = mutant.write(tmp_path / "m") / FILES[form][0]
        try:
            record = FORMATS[form].read(path)
        except MinbpeCourseError as error:
            counts["refused"] += 1
            if form != "sentencepiece" and not PLACE.search(str(error)):
                placeless.append((mutant.name, str(error)))
            continue
        counts["read"] += 1
        try:
            # Making the tables of a new pattern takes long.
            if getattr(record, "pattern", None) in patterns:
                used(record)
            again = FORMATS[form].read(FORMATS[form].write(record, path))
        except MinbpeCourseError:
            continue
        assert difference(record, again) is None, mutant.name
    assert placeless == []
    assert min(counts["refused"], counts["read"]) > COUNT / 20, counts
