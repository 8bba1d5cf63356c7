"""The maintainer's tool, fed with the bundle's own files, makes the same bundle again."""

from __future__ import annotations

import zlib

import pytest

from minbpe_course.vocabularies import bundle, published_files
from tools import rebuild_vocabularies as rebuild

pytestmark = pytest.mark.slow


def test_the_bundle_rebuilds_itself_byte_for_byte(filled, tmp_path, capsys):
    assert rebuild.main([str(filled), str(tmp_path)]) == 0
    assert "all 6 published files" in capsys.readouterr().out
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in bundle.DATA.iterdir()}
    for path in tmp_path.iterdir():
        shipped = (bundle.DATA / path.name).read_bytes()
        if path.suffix == ".merges":
            # Compress the table here, because the compressed bytes depend on the version of zlib.
            shipped = zlib.compress(zlib.decompress(shipped), 9)
        assert path.read_bytes() == shipped, path.name


def test_the_tool_refuses_what_is_not_the_published_file(filled, tmp_path, capsys):
    sources = tmp_path / "sources"
    sources.mkdir()
    for path in filled.iterdir():
        (sources / path.name).write_bytes(path.read_bytes())
    victim = published_files.published_files("cl100k_base")[0].cache_name
    (sources / victim).write_bytes((sources / victim).read_bytes().replace(b" 300\n", b" 301\n", 1))
    assert rebuild.main([str(sources), str(tmp_path / "out")]) == 1
    assert victim in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    assert rebuild.main([str(tmp_path / "nowhere"), str(tmp_path / "out")]) == 1
    assert rebuild.main([]) == 2
