"""The choice of faults depends on the code of a statement alone, and each fault leaves code that compiles."""

from __future__ import annotations

from pathlib import Path

from tools.mutants.faults import KINDS, choose_faults

ROOT = Path(__file__).parents[2]


def test_the_choice_of_faults_survives_other_changes(tmp_path: Path) -> None:
    file = tmp_path / "utf8.py"
    source = (ROOT / "minbpe_course/reference/utf8.py").read_bytes()
    file.write_bytes(source)
    before = choose_faults(tmp_path, [file], 30, seed=1)
    assert {fault.kind for fault in before} == set(KINDS)
    assert before != choose_faults(tmp_path, [file], 30, seed=2)
    for fault in before:
        assert fault.plant(source) != source
        compile(fault.plant(source), fault.file, "exec")
    file.write_bytes(source.replace(b"\ndef ", b"\n# A comment that moves every line.\n\n\ndef "))
    after = choose_faults(tmp_path, [file], 30, seed=1)
    assert [fault.key(1) for fault in after] == [fault.key(1) for fault in before]
    assert [fault.lines for fault in after] != [fault.lines for fault in before]
