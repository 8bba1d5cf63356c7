"""Check a manifest or a journal of token files before anything is done with it.

A folder of token files may come from anyone. So every field has to have its type and a possible value, the numbers of
the shards have to add up, and a name has to be the one that this package gives to the shard of that number: it never
leads out of the folder.
"""

from __future__ import annotations

import json
from typing import Any

from minbpe_course.corpus.parts import TEXT
from minbpe_course.token_files import shard_files
from minbpe_course.token_files.shard_making import shard_name

FORM, VERSION = "minbpe_course tokens", 2

_LARGEST = (1 << 63) - 1
# A file of a corpus: its path, its bytes, and its modification time in nanoseconds.
_FILE = [str, int, int]


def parsed(data: bytes) -> dict[str, Any]:
    """Return the object that is written as JSON. Raises ValueError."""
    try:
        said = json.loads(data)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(said, dict):
        raise ValueError("it is not a JSON object")
    return said


def check_manifest(said: dict[str, Any]) -> None:
    """Raise ValueError unless this is a whole manifest."""
    if said.get("form") != FORM or said.get("version") != VERSION:
        raise ValueError("it is of another program or version")
    if said.get("dtype") not in ("uint16", "uint32"):
        raise ValueError(f"its dtype is {said.get('dtype')!r:.60}, and has to be 'uint16' or 'uint32'")
    if said.get("format") not in shard_files.FORMATS:
        raise ValueError(f"its format is {said.get('format')!r:.60}, and has to be 'npy' or 'parquet'")
    shards = said.get("shards")
    if not isinstance(shards, list):
        raise ValueError("its shards are not a list")
    for number, record in enumerate(shards):
        check_record(record, said["format"])
        if record["number"] != number:
            raise ValueError(f"its shard {number:,} has the number {record['number']:,}")
    check_source(said.get("source"))
    for name in ("tokens", "documents"):
        if _number(said, name) != sum(record[name] for record in shards):
            raise ValueError(f"its shards do not have {said[name]:,} {name} together")


def check_record(record: Any, form: str | None) -> None:
    """Raise ValueError unless this is the entry of a shard in the format ``form``."""
    if not isinstance(record, dict):
        raise ValueError(f"the entry of a shard is {record!r:.60}")
    number, name = _number(record, "number"), record.get("file")
    for each in ("bytes", "tokens", "documents"):
        _number(record, each)
    if name != shard_name(number, str(form)):
        raise ValueError(f"the file of shard {number:,} is {name!r:.200}, and a shard is never called that")
    sources = record.get("sources")
    if not isinstance(record.get("sha256"), str) or not isinstance(sources, list) or not sources:
        raise ValueError(f"the entry of {name} lacks its SHA-256 or its sources")
    for source in sources:
        if not isinstance(source, dict) or not all(isinstance(source.get(each), str) for each in ("path", "kind")):
            raise ValueError(f"a source of {name} lacks its path or its kind")
        if type(source.get("start")) is not int or type(source.get("stop", "")) not in (int, type(None)):
            raise ValueError(f"a source of {name} does not say where it starts and stops")
    if record["documents"] != sum(_number(source, "documents") for source in sources):
        raise ValueError(f"the sources of {name} do not have {record['documents']:,} documents together")


def check_source(source: Any) -> None:
    """Raise ValueError unless this describes a corpus: see ``Corpus.fingerprint``.

    Its ``added`` says how many files each call has added.
    """
    files, added = map(source.get, ("files", "added")) if isinstance(source, dict) else (None, None)
    if not isinstance(files, list) or not all(
        isinstance(each, list) and list(map(type, each)) == _FILE for each in files
    ):
        raise ValueError(f"its source is {source!r:.60}")
    if (
        not isinstance(added, list)
        or not all(type(each) is int and each > 0 for each in added)
        or sum(added) != len(files)
    ):
        raise ValueError(f"its calls added {added!r:.60} of {len(files):,} files")


def may_be_unfinished(shards: list[dict[str, Any]], number: int) -> bool:
    """Return whether the last document of a shard may continue in the next one: only a long text is cut."""
    if number + 1 == len(shards):
        return False
    here, following = shards[number]["sources"][-1], shards[number + 1]["sources"][0]
    return bool(here["kind"] == TEXT == following["kind"] and here["path"] == following["path"])


def _number(said: dict[str, Any], name: str) -> int:
    found = said.get(name)
    if type(found) is not int or not 0 <= found <= _LARGEST:
        raise ValueError(f"{name} is {found!r:.60}, and has to be a whole number")
    return found
