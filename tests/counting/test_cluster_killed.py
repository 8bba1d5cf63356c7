"""A program and its cluster are killed repeatedly: nothing stored is lost.

``test_dask_engine`` kills only workers. This takes three minutes, and runs with MINBPE_COURSE_LONG_TESTS=1.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from minbpe_course.counting import sources
from minbpe_course.counting.count_words import count_words
from tests.counting.hostile_corpora import SPECIAL_TOKENS, hostile_documents, written

pytest.importorskip("distributed")

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.skipif(not os.environ.get("MINBPE_COURSE_LONG_TESTS"), reason="MINBPE_COURSE_LONG_TESTS=1 does it"),
    pytest.mark.skipif(os.name == "nt", reason="a group of processes is killed"),
]

PROGRAM = """
import json, sys
from pathlib import Path
from minbpe_course import count_words
from minbpe_course.counting.cluster import count_parts as cluster_counting
from minbpe_course.counting import sources
from minbpe_course.counting.cluster.dask_engine import cluster

sources.PART, cluster_counting._TOGETHER = 3_000, 6_000
cluster_counting._SMALLEST = cluster_counting._LARGEST = 2_000

if __name__ == "__main__":
    paths, specials, checkpoint, output = json.loads(sys.argv[1])
    with cluster("local", workers=2) as client:
        print("ready", flush=True)
        count_words([Path(path) for path in paths], pattern="o200k_base", special_tokens=specials, engine=client,
                    checkpoint=checkpoint, output=output)
"""


def test_a_program_and_its_cluster_are_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "PART", 3_000)
    chance = random.Random(1)
    documents = ["".join(hostile_documents(chance, 9, 900)) for _ in range(250)]
    paths, _ = written(tmp_path / "files", documents, "text")
    wanted = count_words(paths, pattern="o200k_base", special_tokens=SPECIAL_TOKENS, output=tmp_path / "wanted.counts")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    asked = json.dumps(
        [[str(path) for path in paths], SPECIAL_TOKENS, str(tmp_path / "work"), str(tmp_path / "out.counts")]
    )
    safe, kills = [0], 0
    for _ in range(30):
        running = subprocess.Popen(
            [sys.executable, str(program), asked], start_new_session=True, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, env=os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parents[2])},
        )  # fmt: skip
        assert running.stdout
        running.stdout.readline()
        time.sleep(chance.uniform(0.1, 2.5))
        kills += running.poll() is None
        os.killpg(running.pid, signal.SIGKILL)
        running.stdout.close()
        running.wait()
        if (tmp_path / "out.counts").exists():
            break
        journal = tmp_path / "work" / "journal.json"
        stretches = json.loads(journal.read_bytes())["stretches"] if journal.exists() else []
        safe.append(sum(length for _, _, length, *_ in stretches))
        assert safe[-1] >= safe[-2]
    assert kills >= 3
    assert max(safe) > 0
    # One machine can count the rest.
    last = count_words(
        paths, pattern="o200k_base", special_tokens=SPECIAL_TOKENS, checkpoint=tmp_path / "work",
        output=tmp_path / "out.counts",
    )  # fmt: skip
    assert last.path.read_bytes() == wanted.path.read_bytes()
