"""Damaged files of every format: an error that names the place, or the ids of the library whose format it is.

300 mutants of each format, 900 of tokenizer.json; 5,000 and 15,000 with MINBPE_COURSE_LONG_TESTS=1. The seed and the
number in its name make a mutant again. Both programs run in processes with limits on time and memory, so a crash or a
hang is noticed. Some differences are intended and counted; all others fail:

* Other spellings of base64, wider numbers and so on are refused here even if the library accepts them. A ``.model`` of
  SentencePiece is refused exactly where sentencepiece refuses it.
* ITS OWN MATTER: mistral-common refuses a tekken.json with damaged settings of images or sound. They change no id, so
  here the file is read, and the settings are kept.
* MINBPE CANNOT: minbpe's reader drops white space around lines and parts of special tokens; with a group in the pattern
  it encodes the group alone; it does not know the second form of a .model file.
* NOT UTF-8: a damaged table of SentencePiece's normaliser can give bytes that are not UTF-8. Here a bad byte becomes
  U+FFFD, as it would in a text, and a rule that begins inside a character is ignored; sentencepiece continues with the
  bytes. For the same reason a user-defined piece that is not UTF-8 matches no text.
* NO STR: decoding pieces that are not UTF-8 gives bytes that no str can hold: sentencepiece raises UnicodeDecodeError.
* WITHOUT END: a damaged table can make a text thousands of times longer, or go round in circles. Where sentencepiece
  takes all memory or all time, there is InvalidText, or keys end after 2,048 bytes.

A score is a Python float, which has no signalling NaN: such a one becomes a quiet one (the file keeps it). Only the
order of two different NaN among the scores of a BPE model could tell.
"""

from __future__ import annotations

import json
import os
import random
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import regex

from minbpe_course.formats import gpt2_merges, huggingface_json, minbpe_text, tekken_json, tiktoken_ranks
from minbpe_course.text.patterns import CL100K_PATTERN
from tests.formats.awkward_models import awkward_model
from tests.formats.damaged_piece_models import small_models
from tests.formats.loading_elsewhere import NAMES, ours, theirs
from tests.formats.other_process import CPU_SECONDS_AT_FIRST, Died, Elsewhere, Raised
from tests.shared.huggingface_files import file_of_kind, kinds, trained_by_tokenizers
from tests.shared.mutated_files import Mutant, mutants
from tests.shared.random_vocabularies import some_vocabulary

pytestmark = pytest.mark.medium

LONG = os.environ.get("MINBPE_COURSE_LONG_TESTS") == "1"
SEED = int(os.environ.get("MINBPE_COURSE_SEED", "2024"))
COUNT = 5_000 if LONG else 300

PLACE = re.compile(
    r"\A(?:tokenizer\.json|mine\.tiktoken:)|\bline \d|\$[.:\[,]|\$$|\boffset \d|\bmerge \d|\bthere is no |\bbyte 0x"
    r"|pattern|\bwith the id \d"
)
AWKWARD = {
    "gpt2": ("plain", "odd bytes", "trained", "merges, specials first", "pattern of cl100k", "specials like tokens"),
    "tekken": ("ranks, specials first", "ranks, no special", "ranks, many ways to a token", "merges, specials first"),
    "minbpe": (
        "no pattern", "odd bytes", "trained", "plain", "long tokens", "specials with spaces", "bytes backwards",
    ),
    "huggingface": (
        "plain", "a frame", "ranks, specials first", "whole words", "engine of tiktoken", "specials with spaces",
    ),
}  # fmt: skip


@cache
def models(form: str) -> Mapping[str, Mapping[str, bytes]]:
    chosen = {label: awkward_model(label) for label in AWKWARD.get(form, ())}
    if form == "gpt2":
        return {label: gpt2_merges.to_files(model) for label, model in chosen.items()}
    if form == "tiktoken":
        return {f"{seed} {kind}": files for seed in range(4) for kind, files in ranks_of(seed).items()}
    if form == "tekken":
        made = {label: tekken_json.to_bytes(model) for label, model in chosen.items()}
        document = json.loads(made["ranks, specials first"])
        document["config"] |= {"version": "v3", "default_num_special_tokens": 25, "default_vocab_size": 284}
        del document["special_tokens"]
        beyond = {"image": {"image_patch_size": 16, "max_image_size": 1024}}
        made["beyond"] = json.dumps(document | beyond, indent=4).encode()
    elif form == "minbpe":
        made = {label: minbpe_text._model_text(model).encode() for label, model in chosen.items()}
    elif form == "huggingface":
        made = {label: huggingface_json.to_json(model) for label, model in chosen.items()}
        made |= {name: each.to_str(pretty=True).encode() for name, each in trained_by_tokenizers().items()}
        made |= {kind: json.dumps(json.loads(file_of_kind(kind)), indent=1).encode() for kind in kinds()}
    else:
        made = small_models()
    return {label: {NAMES[form]: data} for label, data in made.items()}


def ranks_of(seed: int) -> dict[str, dict[str, bytes]]:
    """Return the ranks alone, and the ranks together with the second file."""
    model = some_vocabulary(random.Random(seed), "ranks").replace(pattern=CL100K_PATTERN, whole_words=True)
    model = model.replace(special_tokens={"<|x|>": model.vocab_size % 2**32, "é\n": 4_000_000_001})
    path = tiktoken_ranks.write(model, Path(tempfile.mkdtemp(), NAMES["tiktoken"]))
    files = {each.name: each.read_bytes() for each in path.parent.iterdir()}
    return {"alone": {path.name: files[path.name]}, "both": files}


@pytest.fixture(scope="module")
def programs() -> Iterator[tuple[Elsewhere, Elsewhere]]:
    with Elsewhere(ours) as one, Elsewhere(theirs) as other:
        yield one, other


def meant(form: str, mutant: Mutant, mine: Mapping[str, Any], other: Mapping[str, Any]) -> str | None:
    """Return which intended difference this is, None if it is not one."""
    if form == "gpt2" and "tokenizer_config.json" in mutant.files:
        return "the pattern is in the config"  # of which tokenizers knows nothing
    if form == "tekken" and "refused" in other and re.search("image|audio|Image|Audio|builder|positional", str(other)):
        return "its own matter"
    if form == "sentencepiece" and "ids" in mine:
        kinds = ("ids", "decoded") if mine["ids"] == other["ids"] else ("ids",)  # otherwise other ids were decoded
        found = {why(kind, at, mine, other) for kind in kinds for at in differing(mine[kind], other[kind])}
        return None if "" in found else " and ".join(sorted(found))
    if form == "minbpe":
        data = mutant.files.get("mine.model", b"")
        if data.startswith(b"minbpe_course") or "refused" in other:
            return "minbpe cannot"
        if regex.compile(mine["pattern"] or "").groups:
            return "minbpe cannot"
        if any(line != line.strip() or b"  " in line for line in data.split(b"\n")) or b"\r" in data:
            return "minbpe cannot"
    return None


def differing(mine: list[Any], other: list[Any]) -> list[int]:
    return [at for at, (one, two) in enumerate(zip(mine, other)) if one != two]


def why(kind: str, at: int, mine: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """Return why a text of sentencepiece's may differ, "" if it may not."""
    if kind == "ids" and any("\udc80" <= character <= "\udcff" for character in other["normalized"][at]):
        return "not UTF-8"
    if other[kind][at] == "UnicodeDecodeError":
        return "no str"
    return "without end" if mine[kind][at] == "InvalidText" or other[kind][at] == "MemoryError" else ""


def outcome(form: str, mutant: Mutant, mine: Any, other: Any, whole: Mapping[str, Any]) -> str:
    """Return what happened to one mutant, in a few words; a failure begins with WRONG."""
    if isinstance(mine, (Died, Raised)):
        return f"WRONG: {mine}"
    if mutant.harmless and (mine.get("ids"), mine.get("specials")) != (whole["ids"], whole.get("specials")):
        return f"WRONG: only the spelling is another, and there is {mine}"
    if isinstance(other, (Died, Raised)) and (form == "sentencepiece" or "refused" not in mine):
        return "the library died"
    if (
        form == "sentencepiece"
        and mine.get("kind") != "UnsupportedModel"
        and ("refused" in mine) != ("refused" in other)
    ):
        return f"WRONG: {mine}, and the library {other}"
    if "refused" in mine:
        named = form == "sentencepiece" or PLACE.search(mine["refused"])
        return "refused" if named else f"WRONG: no place is told: {mine}"
    # A text that the pattern would lose is refused here, by InvalidPattern; tiktoken panics at a word of no letter.
    pairs = zip(mine["ids"], other.get("ids", []))
    told = [their if our == "InvalidPattern" or their == "PanicException" else our for our, their in pairs]
    same = told == other.get("ids") and all(mine[key] == other[key] for key in ("specials", "decoded") if key in other)
    if same:
        return "the same ids"
    reason = meant(form, mutant, mine, other)
    return f"meant: {reason}" if reason else f"WRONG: {mine}, and the library {other}"


@pytest.mark.parametrize("form", NAMES)
def test_damaged_files(form: str, programs: tuple[Elsewhere, Elsewhere]) -> None:
    one, other = programs
    whole = {}
    for label, files in models(form).items():
        whole[label], there = (program.ask((form, files), CPU_SECONDS_AT_FIRST) for program in programs)
        undamaged = outcome(form, Mutant(label, label, dict(files), True), whole[label], there, whole[label])
        assert undamaged.startswith(("the same ids", "meant: the pattern", "meant: minbpe")), (label, undamaged)
    counts: Counter[str] = Counter()
    wrong = []
    count = 3 * COUNT if form == "huggingface" else COUNT  # most of them are not JSON any more
    for mutant in mutants(models(form), SEED, count):
        answers = one.ask((form, mutant.files)), other.ask((form, mutant.files))
        found = outcome(form, mutant, *answers, whole[mutant.label])
        counts[found if found.startswith("meant") else found.partition(":")[0]] += 1
        if found.startswith("WRONG"):
            wrong.append(f"{mutant.name}: {found[:700]}")
    print(f"{form}, seed {SEED}: {dict(counts)}")
    assert wrong == []
    assert counts["refused"] > count / 10
    assert counts["the same ids"] > count / 20


SAME = {"ids": [[1]], "specials": {}, "decoded": ["a"], "normalized": ["a"]}


@pytest.mark.parametrize(
    ("form", "mine", "other", "expected"),
    [
        ("gpt2", SAME, SAME, "the same ids"),
        ("gpt2", SAME | {"ids": [[2]]}, SAME, "WRONG"),
        ("gpt2", SAME, {"refused": "no"}, "WRONG"),
        ("gpt2", {"refused": "it is broken"}, SAME, "WRONG"),
        ("gpt2", {"refused": "line 7"}, SAME, "refused"),
        ("gpt2", Died("exit -11"), SAME, "WRONG"),
        ("gpt2", Raised("KeyError", "7"), SAME, "WRONG"),
        ("sentencepiece", SAME, SAME, "the same ids"),
        ("sentencepiece", SAME | {"ids": [[2]]}, SAME, "WRONG"),
        ("sentencepiece", SAME | {"decoded": ["b"]}, SAME, "WRONG"),
        ("sentencepiece", {"refused": "line 7"}, SAME, "WRONG"),
        ("sentencepiece", SAME, {"refused": ""}, "WRONG"),
    ],
)
def test_the_test_finds_what_it_looks_for(form: str, mine: Any, other: Any, expected: str) -> None:
    plain = Mutant("", "", {"vocab.json": b"", "merges.txt": b""}, False)
    assert outcome(form, plain, mine, other, SAME).startswith(expected)
    if expected == "refused":
        assert outcome(form, plain._replace(harmless=True), mine, other, SAME).startswith("WRONG")
