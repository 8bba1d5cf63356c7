"""Damaged files of three formats: an error that names the place, or the ids of the library whose format it is.

250 mutants of each format; 5,000 with MINBPE_COURSE_LONG_TESTS=1. The seed and the number in its name make a mutant
again. Both programs run in processes with limits on time and memory, so a crash or a hang is noticed. Some differences
are intended and counted; all others fail:

* Other spellings of base64, wider numbers and so on are refused here even if the library accepts them.
* ITS OWN MATTER: mistral-common refuses a tekken.json with damaged settings of images or sound. They change no id, so
  here the file is read, and the settings are kept.
* MINBPE CANNOT: minbpe's reader drops white space around lines and parts of special tokens; with a group in the pattern
  it encodes the group alone; it does not know the second form of a .model file.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import pytest
import regex

from minbpe_course.formats import gpt2_merges, minbpe_text, tekken_json
from tests.formats.awkward_models import awkward_model
from tests.formats.loading_elsewhere import ours, theirs
from tests.formats.other_process import Died, Elsewhere, Raised
from tests.shared.mutated_files import Mutant, mutants

pytestmark = pytest.mark.slow

LONG = os.environ.get("MINBPE_COURSE_LONG_TESTS") == "1"
SEED = int(os.environ.get("MINBPE_COURSE_SEED", "2024"))
COUNT = 5_000 if LONG else 250

PLACE = re.compile(
    r"\bline \d|\$[.:\[,]|\$$|\boffset \d|\bmerge \d|\bthere is no |\bthe byte 0x|pattern|\bwith the id \d"
)
FORMS = ("gpt2", "tekken", "minbpe")


@cache
def models(form: str) -> Mapping[str, Mapping[str, bytes]]:
    if form == "gpt2":
        chosen = (
            "plain",
            "odd bytes",
            "trained",
            "merges, specials first",
            "pattern of cl100k",
            "specials like tokens",
        )
        return {label: gpt2_merges.to_files(awkward_model(label)) for label in chosen}
    if form == "tekken":
        chosen = ("ranks, specials first", "ranks, no special", "ranks, many ways to a token", "merges, specials first")
        made = {label: {"tekken.json": tekken_json.to_bytes(awkward_model(label))} for label in chosen}
        document = json.loads(made[chosen[0]]["tekken.json"])
        document["config"] |= {"version": "v3", "default_num_special_tokens": 25, "default_vocab_size": 284}
        del document["special_tokens"]
        beyond = {"image": {"image_patch_size": 16, "max_image_size": 1024}}
        return made | {"beyond": {"tekken.json": json.dumps(document | beyond, indent=4).encode()}}
    chosen = ("no pattern", "odd bytes", "trained", "plain", "long tokens", "specials with spaces", "bytes backwards")
    return {label: {"mine.model": minbpe_text._model_text(awkward_model(label)).encode()} for label in chosen}


@pytest.fixture(scope="module")
def programs() -> Iterator[tuple[Elsewhere, Elsewhere]]:
    with Elsewhere(ours, 3 << 30) as one, Elsewhere(theirs) as other:
        yield one, other


def meant(form: str, mutant: Mutant, mine: Mapping[str, Any], other: Mapping[str, Any]) -> str | None:
    """Return which intended difference this is, None if it is not one."""
    if form == "gpt2" and "tokenizer_config.json" in mutant.files:
        return "the pattern is in the config"  # of which tokenizers knows nothing
    if form == "tekken" and "refused" in other and re.search("image|audio|Image|Audio|builder|positional", str(other)):
        return "its own matter"
    if form == "minbpe":
        data = mutant.files.get("mine.model", b"")
        if data.startswith(b"minbpe_course") or "refused" in other:
            return "minbpe cannot"
        if regex.compile(mine["pattern"] or "").groups:
            return "minbpe cannot"
        if any(line != line.strip() or b"  " in line for line in data.split(b"\n")) or b"\r" in data:
            return "minbpe cannot"
    return None


def outcome(form: str, mutant: Mutant, mine: Any, other: Any, whole: Mapping[str, Any]) -> str:
    """Return what happened to one mutant, in a few words; a failure begins with WRONG."""
    if isinstance(mine, (Died, Raised)):
        return f"WRONG: {mine}"
    if mutant.harmless and (mine.get("ids"), mine.get("specials")) != (whole["ids"], whole["specials"]):
        return f"WRONG: only the spelling is another, and there is {mine}"
    if "refused" in mine:
        return "refused" if PLACE.search(mine["refused"]) else f"WRONG: no place is told: {mine}"
    if isinstance(other, (Died, Raised)):
        return "the library died"
    # A text that the pattern would lose is refused here, by InvalidPattern; tiktoken panics at a word of no letter.
    pairs = zip(mine["ids"], other.get("ids", []))
    told = [their if our == "InvalidPattern" or their == "PanicException" else our for our, their in pairs]
    same = told == other.get("ids") and (form != "tekken" or mine["specials"] == other["specials"])
    if same:
        return "the same ids"
    reason = meant(form, mutant, mine, other)
    return f"meant: {reason}" if reason else f"WRONG: {mine}, and the library {other}"


@pytest.mark.parametrize("form", FORMS)
def test_damaged_files(form: str, programs: tuple[Elsewhere, Elsewhere]) -> None:
    one, other = programs
    whole = {label: one.ask((form, files)) for label, files in models(form).items()}
    assert all("ids" in found for found in whole.values()), whole
    counts: Counter[str] = Counter()
    wrong = []
    for mutant in mutants(models(form), SEED, COUNT):
        found = outcome(
            form, mutant, one.ask((form, mutant.files)), other.ask((form, mutant.files)), whole[mutant.label]
        )
        counts[found if found.startswith("meant") else found.partition(":")[0]] += 1
        if found.startswith("WRONG"):
            wrong.append(f"{mutant.name}: {found[:700]}")
    print(f"{form}, seed {SEED}: {dict(counts)}")
    assert wrong == []
    assert counts["refused"] > COUNT / 10
    assert counts["the same ids"] > COUNT / 20


def test_the_test_finds_what_it_looks_for() -> None:
    plain = Mutant("", "", {"vocab.json": b"", "merges.txt": b""}, False)
    same = {"ids": [[1]], "specials": {}}
    assert outcome("gpt2", plain, same, same, same) == "the same ids"
    assert outcome("gpt2", plain, {"ids": [[2]], "specials": {}}, same, same).startswith("WRONG")
    assert outcome("gpt2", plain, same, {"refused": "no"}, same).startswith("WRONG")
    assert outcome("gpt2", plain, {"refused": "it is broken"}, same, same).startswith("WRONG")
    assert outcome("gpt2", plain, {"refused": "line 7"}, same, same) == "refused"
    assert outcome("gpt2", plain._replace(harmless=True), {"refused": "line 7"}, same, same).startswith("WRONG")
    assert outcome("gpt2", plain, Died("exit -11"), same, same).startswith("WRONG")
    assert outcome("gpt2", plain, Raised("KeyError", "7"), same, same).startswith("WRONG")
