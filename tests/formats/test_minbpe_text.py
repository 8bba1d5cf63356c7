"""minbpe's text files: models come back, minbpe can read its form, and damage is named with its line."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minbpe_course import files
from minbpe_course.errors import UnreadableModel, UnsupportedModel, UnusablePath
from minbpe_course.formats import minbpe_text
from minbpe_course.model import BytePairModel
from tests.compat.minbpe_reference import MinbpeTwin
from tests.formats.awkward_models import awkward_model
from tests.shared.long_run import examples

pytestmark = pytest.mark.medium

KEPT_BY_MINBPE = ("no merges", "pattern with quotes", "specials in Unicode", "odd bytes", "a token made two ways")
"""The models whose file minbpe itself reads and writes."""

TEXTS = st.text("ab09|é温", max_size=6) | st.text(
    st.characters(codec=None) | st.sampled_from(' \t\r\n"\\|09'), max_size=12
)


@st.composite
def models(draw):
    skipped = sorted(draw(st.just(()) | st.sets(st.integers(256, 300), max_size=3)))
    ids, merges, new_id = list(range(256)), [], 256
    for _ in range(draw(st.integers(0, 12))):
        merges.append((draw(st.sampled_from(ids)), draw(st.sampled_from(ids[-20:]))))
        while new_id in skipped:
            new_id += 1
        ids.append(new_id)
        new_id += 1
    free = [number for number in [*skipped, *range(400, 420)] if number >= 256 and number not in ids]
    names = draw(st.lists(TEXTS.filter(bool), unique=True, max_size=len(free)))
    byte_order = draw(st.sampled_from([*[bytes(range(256))] * 5, bytes(reversed(range(256)))]))
    pattern = draw(st.none() | TEXTS.filter(bool))
    return BytePairModel(merges, byte_order, pattern, dict(zip(names, free)), skipped)


@settings(max_examples=examples(100))
@given(model=models())
def test_a_model_comes_back_from_a_file_that_minbpe_reads_or_is_refused(model, tmp_path_factory):
    folder = tmp_path_factory.mktemp("model", numbered=True)
    if minbpe_text.why_not(model) is not None:
        with pytest.raises(UnsupportedModel, match=r"cannot hold this model: .*\n.*tokenizer\.json"):
            minbpe_text.write(model, folder / "m")
        assert list(folder.iterdir()) == []
        return
    path = minbpe_text.write(model, folder / "m")
    again, text = minbpe_text.read(path), path.read_text(encoding="utf-8")
    assert (again, list(again.special_tokens)) == (model, list(model.special_tokens))
    twin = MinbpeTwin.from_model_file(text)
    assert (twin.merges, twin.pattern) == (dict(model.ranks), model.pattern or "")
    assert twin.special_tokens == dict(model.special_tokens)
    assert twin.model_file() == text


@pytest.mark.parametrize(
    ("label", "why"),
    [
        ("bytes backwards", "0 to 255 in their order"),
        ("skipped ids", "every merge makes the next id"),
        ("a pair twice", "merges twice"),
        ("pattern in lines", "a line break"),
        ("pattern with a leading space", "white space at an end"),
        ("pattern with a surrogate", "lone surrogate"),
        ("specials with spaces", "special token '<|end of text|>' has white space"),
    ],
)
def test_what_minbpe_cannot_read_is_refused_with_the_reason(label, why):
    assert why in minbpe_text.why_not(awkward_model(label))


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
    model = BytePairModel([(97, 97), (256, 98), (255, 0), (195, 169), (240, 159)], special_tokens={"a\nb": 300})
    minbpe_text.write_vocab(model, tmp_path / "m.vocab")
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
