"""minbpe's text files: models come back, minbpe can read its form, and damage is named with its line."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minbpe_course import files
from minbpe_course.errors import UnreadableModel, UnusablePath
from minbpe_course.formats import minbpe_text
from minbpe_course.model import BytePairModel
from tests.compat.minbpe_reference import MinbpeTwin
from tests.formats.awkward_models import awkward_model
from tests.shared.long_run import examples

pytestmark = pytest.mark.medium

SHUFFLED = bytes(reversed(range(256)))
KEPT_BY_MINBPE = ("no merges", "pattern with quotes", "specials in Unicode", "odd bytes", "a token made two ways")
"""The models whose file minbpe itself reads and writes."""

TEXTS = st.text(st.characters(codec=None) | st.sampled_from(' \t\r\n"\\|09'), max_size=12)


@st.composite
def models(draw):
    skipped = sorted(draw(st.sets(st.integers(256, 300), max_size=3)))
    ids, merges, new_id = list(range(256)), [], 256
    for _ in range(draw(st.integers(0, 12))):
        merges.append((draw(st.sampled_from(ids)), draw(st.sampled_from(ids[-20:]))))
        while new_id in skipped:
            new_id += 1
        ids.append(new_id)
        new_id += 1
    free = [number for number in [*skipped, *range(400, 420)] if number >= 256 and number not in ids]
    names = draw(st.lists(TEXTS.filter(bool), unique=True, max_size=len(free)))
    byte_order = draw(st.sampled_from([bytes(range(256)), SHUFFLED]))
    pattern = draw(st.none() | TEXTS.filter(bool))
    return BytePairModel(merges, byte_order, pattern, dict(zip(names, free)), skipped)


def check_round_trip(model, folder):
    first = minbpe_text.write(model, folder / "first")
    again = minbpe_text.read(first)
    second = minbpe_text.write(again, folder / "second")
    assert again == model
    assert list(again.special_tokens) == list(model.special_tokens)
    assert first.read_bytes() == second.read_bytes()
    assert (folder / "first.vocab").read_bytes() == (folder / "second.vocab").read_bytes()
    return first.read_text(encoding="utf-8")


@settings(max_examples=examples(60))
@given(model=models())
def test_any_model_comes_back(model, tmp_path_factory):
    text = check_round_trip(model, tmp_path_factory.mktemp("model", numbered=True))
    if text.startswith("minbpe v1\n"):
        # A file in minbpe's form: minbpe reads it without loss and would have written the same bytes.
        twin = MinbpeTwin.from_model_file(text)
        assert (twin.merges, twin.pattern) == (dict(model.ranks), model.pattern or "")
        assert twin.special_tokens == dict(model.special_tokens)
        assert twin.model_file() == text


@pytest.mark.parametrize("label", KEPT_BY_MINBPE)
def test_both_files_are_minbpes_byte_for_byte(label, tmp_path):
    model = awkward_model(label)
    twin = MinbpeTwin(model.pattern or "")
    twin.merges, twin.special_tokens = dict(model.ranks), dict(model.special_tokens)
    minbpe_text.write(model, tmp_path / "m")
    assert (tmp_path / "m.model").read_bytes() == twin.model_file().encode("utf-8")
    assert (tmp_path / "m.vocab").read_bytes() == twin.vocab_file().encode("utf-8")


@pytest.mark.parametrize("label", ["pattern with a leading space", "specials with spaces"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_files_of_minbpes_that_it_cannot_read_back_itself(label, line_end, tmp_path):
    model = awkward_model(label)
    model = model.replace(special_tokens={k: v for k, v in model.special_tokens.items() if "\n" not in k})
    twin = MinbpeTwin(model.pattern or "")
    twin.merges, twin.special_tokens = dict(model.ranks), dict(model.special_tokens)
    path = tmp_path / "m.model"
    path.write_bytes(twin.model_file().replace("\n", line_end).encode("utf-8"))
    assert minbpe_text.read(path) == model


def test_an_empty_pattern_is_no_pattern(tmp_path):
    for pattern in ("", None):
        path = minbpe_text.write(BytePairModel(pattern=pattern), tmp_path / "m")
        assert path.read_bytes() == b"minbpe v1\n\n0\n"
        assert minbpe_text.read(path).pattern is None


def test_vocab_shows_control_characters_and_broken_characters(tmp_path):
    minbpe_text.write(
        BytePairModel([(97, 97), (256, 98), (255, 0), (195, 169), (240, 159)], special_tokens={"a\nb": 300}),
        tmp_path / "m",
    )
    lines = (tmp_path / "m.vocab").read_text(encoding="utf-8").split("\n")
    assert (lines[10], lines[255]) == (r"[\u000a] 10", "[\ufffd] 255")
    assert lines[257:261] == [
        "[aa][b] -> [aab] 257",
        r"[" + "\ufffd" + r"][\u0000] -> [" + "\ufffd" + r"\u0000] 258",
        "[\ufffd][\ufffd] -> [é] 259",
        "[\ufffd][\ufffd] -> [\ufffd] 260",
    ]
    assert lines[261:] == [r"[a\u000ab] 300", ""]


# Damage

COURSE = f"""minbpe_course v1
pattern "a"
byte_order {SHUFFLED.hex()}
skipped_ids
special_tokens 1
"x y" 300
merges 1
1 2
"""
DAMAGED = {
    "empty file": ("", 0, "first line"),
    "another header": ("minbpe v2\n", 1, "'minbpe v1'"),
    "no pattern": ("minbpe v1\n", 1, "split pattern"),
    "no count": ("minbpe v1\nx\n", 2, "number of special tokens"),
    "pattern in lines": ("minbpe v1\n(?x)\na\n0\n", 3, "line breaks"),
    "count too large": ("minbpe v1\nx\n2\na 300\n", 4, "special token"),
    "special without id": ("minbpe v1\nx\n1\nabc\n", 4, "special token"),
    "special twice": ("minbpe v1\nx\n2\na 300\na 301\n", 5, "no line before"),
    "merge of an unknown id": ("minbpe v1\nx\n0\n97 97\n97 258\n", 5, "exist before 257"),
    "merge of itself": ("minbpe v1\nx\n0\n256 97\n", 4, "exist before 256"),
    "other digits": ("minbpe v1\nx\n0\n97 \u0663\u0662\n", 4, "two ids"),
    "blank line": ("minbpe v1\nx\n0\n97 97\n\n97 98\n", 5, "two ids"),
    "cut off within a number": ("minbpe v1\nx\n0\n97 97\n97 2", 5, "line break"),
    "tokens that would fill the memory": (
        "minbpe v1\nx\n0\n97 97\n" + "".join(f"{i} {i}\n" for i in range(256, 356)),
        25,
        "8,388,608 bytes",
    ),
    "course: pattern nested deeply": (COURSE.replace('"a"', "[" * 100_000), 2, "JSON string"),
    "course: fields in another order": (COURSE.replace("byte_order", "merges"), 3, "byte_order"),
    "course: a byte twice": (COURSE.replace("fffe", "ffff"), 3, "each byte once"),
    "course: a skipped byte": (COURSE.replace("skipped_ids", "skipped_ids 7"), 4, "above 255"),
    "course: skipped ids unsorted": (COURSE.replace("skipped_ids", "skipped_ids 300 299"), 4, "ascending"),
    "course: special not quoted": (COURSE.replace('"x y"', "x y"), 6, "JSON string"),
    "course: merges missing": (COURSE.replace("merges 1", "merges 2"), 8, "two ids"),
    "course: merges left over": (COURSE + "1 3\n", 9, "end of the file"),
}


@pytest.mark.parametrize("label", DAMAGED)
def test_damage_is_named_with_its_line(label, tmp_path):
    text, line, expected = DAMAGED[label]
    path = tmp_path / "damaged.model"
    path.write_bytes(text.encode("utf-8"))
    with pytest.raises(UnreadableModel, match=rf"^damaged\.model.*\bline {line}\b") as caught:
        minbpe_text.read(path)
    assert expected in str(caught.value)
    assert len(str(caught.value)) < 400


def test_special_id_of_an_ordinary_token(tmp_path):
    path = tmp_path / "m.model"
    path.write_bytes(b"minbpe v1\n\n1\nend 256\n97 97\n")
    with pytest.raises(UnreadableModel, match=r"m\.model, line 4: 'end' cannot have id 256.*first free id is 257"):
        minbpe_text.read(path)


def test_a_file_that_is_not_text(tmp_path):
    path = tmp_path / "m.model"
    path.write_bytes(b"minbpe v1\n\xff\n0\n")
    with pytest.raises(UnreadableModel, match="line 2: expected UTF-8 text, found the byte 0xff"):
        minbpe_text.read(path)


def test_a_course_file_cut_anywhere_is_refused(tmp_path):
    path = tmp_path / "cut.model"
    for length in range(len(COURSE)):
        path.write_bytes(COURSE.encode()[:length])
        with pytest.raises(UnreadableModel):
            minbpe_text.read(path)


# Paths and saving


def test_paths_that_cannot_be_used(tmp_path):
    model = awkward_model("plain")
    (tmp_path / "folder.model").mkdir()
    attempts = [
        lambda: minbpe_text.read(tmp_path),
        lambda: minbpe_text.read(tmp_path / "missing.model"),
        lambda: minbpe_text.read(7),
        lambda: minbpe_text.write(model, tmp_path / "folder"),
        lambda: minbpe_text.write(model, tmp_path / "missing" / "m"),
        lambda: minbpe_text.write(model, "a\0b"),
    ]
    for attempt in attempts:
        with pytest.raises(UnusablePath, match=r"\w+"):
            attempt()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder.model"]


@pytest.mark.parametrize("failing", ["replace", "fsync"])
def test_a_save_that_fails_leaves_the_old_files(failing, tmp_path, monkeypatch):
    minbpe_text.write(awkward_model("plain"), tmp_path / "m")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, failing, fail)
    with pytest.raises(UnusablePath, match="No space left"):
        minbpe_text.write(awkward_model("odd bytes"), tmp_path / "m")
    monkeypatch.undo()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
