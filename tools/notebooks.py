"""Execute the lessons, keep what is stored of them the same on every machine, and hold them to their budgets.

    python -m tools.notebooks run notebooks/02_naive_bpe.ipynb    execute in place, then normalise
    python -m tools.notebooks normalise notebooks/*.ipynb         metadata only, outputs stay as they are
    python -m tools.notebooks check                               the budgets; every lesson when no file is named
    python -m tools.notebooks minutes                             write how long each takes into it and the README
    python -m tools.notebooks --learners-lines                    how many lines of each lesson the learner writes

``run`` writes nothing when a cell fails. It cannot know whether an output depends on the machine: nbval finds that out.
"""

from __future__ import annotations

import argparse
import ast
import base64
import io
import itertools
import os
import re
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
from IPython.core.inputtransformer2 import TransformerManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode
from PIL import Image

from minbpe_course.errors import MinbpeCourseError
from minbpe_course.files import read_whole, write_whole
from minbpe_course.learning.assignments.parts import NOTEBOOK_METADATA
from minbpe_course.learning.judge.answer_code import answer_code
from minbpe_course.learning.judge.catalogue import COURSE
from minbpe_course.learning.judge.exercise import Exercise
from minbpe_course.learning.practice.own_file import FILE

ROOT = Path(__file__).resolve().parent.parent
LESSONS = ROOT / "notebooks"
README = ROOT / "README.md"

LONGEST_CODE_CELL = 25
LONGEST_FIRST_CELL = 6
LONGEST_LINE = 100
MEDIAN_CODE_CELL = 5
FEWEST_LINKS = 3
# How long a lesson takes: reading, understanding code, thinking about what will come, and writing what is missing.
WORDS_A_MINUTE, LINES_A_MINUTE, MINUTES_A_PREDICTION = 150, 6, 1
MINUTES_A_BLANK, MINUTES_A_LINE = 2, 0.5
PREDICTION = "**Before you run"
WRITTEN_BY_LEARNERS = ("01", "02", "03", "04", "05", "06", "07", "09", "18")
LATER_LESSONS = ("13", "14", "15", "16", "17", "19")  # the learner writes the idea of each there, too
LONGEST_CORE_LESSON = {"00": 20, "01": 30}  # minutes
LONGEST_OTHER = 45
MOST_WATCHED = 6  # code cells in a row without anything to write, or to predict and type
FEWEST_LEARNERS_LINES, FEWEST_IN_A_LATER_LESSON = 300, 20
CELLS_BETWEEN_CHECKS = 12
LARGEST_FILE = 500_000
EXACT_COLOURS = 64  # of the 256 of a stored picture; the others are for the shades at the edges of letters
CLOSING_SECTION = "Roads not taken"

# Everything else in a cell's metadata is a trace of who ran it, when, and in which editor.
KEPT_CELL_METADATA = ("jupyter", "tags")
# ipykernel says this on stderr when it is started without an encrypted connection; it is not an output of the lesson.
BLANK_ID = re.compile(r"\d\d-\w+")  # of the cell of a blank
GUESS = re.compile(r"^\w+ = \.\.\.", re.MULTILINE)  # a prediction to type
KERNEL_NOTICE = re.compile(r"[^\n]*Kernel is running over TCP without encryption[^\n]*\n?")
MACHINE_TRACE = re.compile(
    r"/home/|/tmp/|/Users/|/root/|/var/folders/|\b[A-Z]:\\\\?(?:Users|Windows|Program)|site-packages"
    r"|(?<![\w/.:])/(?:[\w.-]+/)+[\w-]+\.(?:py|ipynb)\b|\bat 0x[0-9a-fA-F]{6,}|" + re.escape(str(ROOT))
)
STORED_TIMING = re.compile(r"\b(?:Wall time:|CPU times:|per loop \(mean)")


def read(path: Path) -> NotebookNode:
    """Return the notebook stored at ``path``, brought to the newest version of the format."""
    return nbformat.reads(read_whole(path).decode("utf-8"), as_version=4)


def write(path: Path, notebook: NotebookNode) -> None:
    """Store the notebook with sorted keys, an indent of one and a line break at the end."""
    write_whole(path, (nbformat.writes(notebook).rstrip("\n") + "\n").encode("utf-8"))


def run(path: Path, *, timeout: int = 600) -> NotebookNode:
    """Execute the notebook in its own folder, as nbval and a learner do, and return it normalised.

    Its blanks are those of the exercises. If a cell fails, nothing is written.
    """
    notebook = read(path)
    blanks = blanks_of(path)
    for cell in notebook.cells:
        if cell.id in blanks:
            cell.source = answer_code(blanks[cell.id]).blank
    with tempfile.TemporaryDirectory() as folder:
        _execute(notebook, path, Path(folder, FILE), timeout)
    _shrink_pictures(notebook)
    normalise(notebook)
    return notebook


def blanks_of(path: Path) -> dict[str, Exercise]:
    """Return the exercises whose blanks a lesson asks to fill, by the ids of their cells; of a class, its first method.

    >>> sorted(blanks_of(Path("02_naive_bpe.ipynb")))[:2]
    ['02-BasicTokenizer', '02-apply_merges']
    """
    lesson = path.name[:2]
    asked = COURSE.contents(lesson).blanks if lesson in COURSE.lessons() else ()
    return {f"{lesson}-{one.entry if one.method else one.name}": one for one in reversed(asked)}


def _execute(notebook: NotebookNode, path: Path, kept: Path, timeout: int) -> None:
    # The checkout comes first, so that a lesson runs with its code even if another version is installed.
    environment = os.environ | {
        "MINBPE_COURSE_MY_TOKENIZER": str(kept),
        "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])),
    }
    client = NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=timeout,
        coalesce_streams=True,
        record_timing=False,
        resources={"metadata": {"path": str(path.resolve().parent)}},
    )
    client.execute(env=environment)


def normalise(notebook: NotebookNode) -> None:
    """Normalise everything that is stored besides sources and outputs, in place.

    Example:
        >>> from nbformat.v4 import new_code_cell, new_notebook
        >>> notebook = new_notebook(cells=[new_code_cell("1 + 1", execution_count=41, metadata={"scrolled": True})])
        >>> normalise(notebook)
        >>> notebook.cells[0].id, notebook.cells[0].execution_count, dict(notebook.cells[0].metadata)
        ('cell-001', 1, {})
    """
    notebook.metadata = nbformat.from_dict(NOTEBOOK_METADATA)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    count = 0
    for number, cell in enumerate(notebook.cells, start=1):
        if not BLANK_ID.fullmatch(cell.id):
            cell.id = f"cell-{number:03d}"
        cell.metadata = nbformat.from_dict(
            {key: cell.metadata[key] for key in KEPT_CELL_METADATA if cell.metadata.get(key)}
        )
        cell.source = cell.source.strip("\n")
        if cell.cell_type != "code":
            continue
        cell.outputs = [output for output in cell.outputs if not _is_kernel_notice(output)]
        cell.execution_count = None
        if cell.source.strip():
            count += 1
            cell.execution_count = count
        for output in cell.outputs:
            if output.output_type == "execute_result":
                output.execution_count = cell.execution_count
            output.pop("transient", None)
            # A widget lives as long as its kernel; in a file, all that is left of it is an error where it stood.
            output.get("data", {}).pop("application/vnd.jupyter.widget-view+json", None)


def _shrink_pictures(notebook: NotebookNode) -> None:
    """Store every PNG with a palette, in place: a chart has few colours, so it needs a third of the space."""
    for output in (output for cell in notebook.cells for output in cell.get("outputs", [])):
        stored = output.get("data", {}).get("image/png")
        if stored is None:
            continue
        picture = Image.open(io.BytesIO(base64.b64decode(stored)))
        if picture.mode != "P":
            smaller = io.BytesIO()
            _with_palette(picture.convert("RGBA")).save(smaller, "PNG", optimize=True)
            output.data["image/png"] = base64.b64encode(smaller.getvalue()).decode("ascii") + "\n"


def _with_palette(picture: Image.Image) -> Image.Image:
    """Return an RGBA picture with a palette: its most frequent colours as they are, which fill its areas, the rest
    replaced by similar ones."""
    pixels = np.asarray(picture)
    colours, places, counts = np.unique(
        pixels.reshape(-1, 4).view(np.uint32).ravel(), return_inverse=True, return_counts=True
    )
    exact = colours[np.argsort(-counts, kind="stable")[:EXACT_COLOURS]].view(np.uint8)
    # The only method in every Pillow that keeps what is transparent; on its own it would make one of two pale colours.
    similar = picture.quantize(256 - EXACT_COLOURS, Image.Quantize.FASTOCTREE).getpalette("RGBA") or []
    palette = np.array([*exact, *similar], dtype=np.uint8).reshape(-1, 4)
    away = _seen(colours.view(np.uint8).reshape(-1, 4))[:, None] - _seen(palette)
    nearest = (away**2).sum(axis=2).argmin(axis=1).astype(np.uint8)
    few = Image.fromarray(nearest[places].reshape(pixels.shape[:2]), "P")
    few.putpalette(palette.tobytes(), "RGBA")
    return few


def _seen(colours: np.ndarray) -> np.ndarray:
    """Return RGBA colours as a reader sees them, so that fully transparent ones are equal."""
    return np.hstack([colours[:, :3] * (colours[:, 3:] / 255.0), colours[:, 3:]])


def problems(path: Path) -> list[str]:
    """Return what is wrong with a stored lesson, a sentence each that names the cell; nothing wrong, an empty list."""
    notebook = read(path)
    found = [f"{path.name}: {problem}" for problem in _notebook_problems(path, notebook)]
    for number, cell in enumerate(notebook.cells, start=1):
        found += [f"{path.name}, cell {number}: {problem}" for problem in _cell_problems(cell)]
    return found


def _notebook_problems(path: Path, notebook: NotebookNode) -> Iterator[str]:
    cells = notebook.cells
    size = path.stat().st_size
    if size >= LARGEST_FILE:
        yield f"{size:,} bytes; a lesson stays under {LARGEST_FILE:,} (fewer or smaller pictures)."
    lengths = [len(cell.source.splitlines()) for cell in cells if cell.cell_type == "code"]
    if not lengths:
        yield "no code cell at all."
    elif lengths[0] > LONGEST_FIRST_CELL:
        yield f"the first code cell has {lengths[0]} lines; at most {LONGEST_FIRST_CELL}. Import where it is used."
    if lengths and statistics.median(lengths) > MEDIAN_CODE_CELL:
        yield f"the median code cell has {statistics.median(lengths):g} lines; at most {MEDIAN_CODE_CELL}."

    links = sum(cell.source.count("](http") for cell in cells if cell.cell_type == "markdown")
    if links < FEWEST_LINKS:
        yield f"{links} links to sources; at least {FEWEST_LINKS}."
    lesson = path.name[:2]
    if lesson == "00" or lesson in WRITTEN_BY_LEARNERS:
        yield from _core_problems(lesson, notebook)
    if lesson == "00" or lesson in WRITTEN_BY_LEARNERS + LATER_LESSONS:
        yield from _watching(notebook)
    blanks = blanks_of(path)
    parts = [notebook, *(read(other) for other in path.parent.glob(f"{lesson}_*.ipynb") if other != path)]
    there = {cell.id for part in parts for cell in part.cells}  # a lesson may have two notebooks
    if left := [one.key for cell_id, one in blanks.items() if cell_id not in there]:
        yield f"no cell has the blank of {', '.join(left)}."
    for cell in cells:
        if cell.id in blanks and cell.source != answer_code(blanks[cell.id]).blank:
            yield f"the blank of {blanks[cell.id].key} is not that of its file; run: tools.notebooks run"

    said = f"About {minutes(notebook)} minutes"
    if said not in cells[0].source:
        yield f'the first cell does not say "{said}", which is what the rule in tools/notebooks.py gives.'

    closing = [n for n, cell in enumerate(cells) if _has_heading(cell, CLOSING_SECTION)]
    if not closing:
        yield f'no section "{CLOSING_SECTION}".'
    end = closing[-1] if closing else len(cells)
    # The closing sections are prose about what was proved above them, so the count stops there.
    marks = [-1, *(n for n, cell in enumerate(cells[:end]) if _checks_something(cell)), end]
    for before, after in itertools.pairwise(marks):
        if after - before > CELLS_BETWEEN_CHECKS:
            yield f"cells {before + 2} to {after} check nothing; a check belongs in every {CELLS_BETWEEN_CHECKS} cells."

    stored = nbformat.writes(notebook)
    tidy = nbformat.reads(stored, as_version=4)
    normalise(tidy)
    if nbformat.writes(tidy) != stored:
        yield f"stored metadata is not normal; run: python -m tools.notebooks normalise notebooks/{path.name}"


def _core_problems(lesson: str, notebook: NotebookNode) -> Iterator[str]:
    most = LONGEST_CORE_LESSON.get(lesson, LONGEST_OTHER)
    if minutes(notebook) > most:
        yield f"{minutes(notebook)} minutes; at most {most}."
    code = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    if "02" <= lesson <= "09" and not re.search(r"\b(?:tiktoken|sentencepiece)\b", code):
        yield "no cell compares with tiktoken or sentencepiece."


def _watching(notebook: NotebookNode) -> Iterator[str]:
    watched = 0
    for number, cell in enumerate(notebook.cells, start=1):
        if cell.cell_type == "code":
            watched = 0 if is_blank(cell) or GUESS.search(cell.source) else watched + 1
        elif _has_heading(cell, CLOSING_SECTION):
            break
        if watched == MOST_WATCHED + 1:
            yield f"cell {number}: the {watched}th code cell in a row without anything to write or to predict and type."


def _cell_problems(cell: NotebookNode) -> Iterator[str]:
    for trace in MACHINE_TRACE.findall(cell.source):
        yield f"the source names a place of one machine ({trace})."
    if cell.cell_type != "code":
        return
    tags = cell.metadata.get("tags", [])
    length = len(cell.source.splitlines())
    if length > LONGEST_CODE_CELL and not BLANK_ID.fullmatch(cell.id):  # a class with several blanks is longer
        yield f"{length} lines of code; at most {LONGEST_CODE_CELL}."
    longest = max(map(len, cell.source.splitlines()), default=0)
    if longest > LONGEST_LINE:
        yield f"a line of {longest} characters; at most {LONGEST_LINE}."
    if not cell.source.strip():
        yield "an empty code cell."
    for statement in _parsed(cell.source).body[:-1]:
        if re.match(r"(?:show|compare)_tokens\(", ast.unparse(statement)):
            yield "show_tokens or compare_tokens shows something only at the end of a cell."
    for output in cell.outputs:
        if output.output_type == "error" and "raises-exception" not in tags:
            yield f"a stored error: {output.ename}: {output.evalue}"
        if output.output_type == "stream" and output.name == "stderr":
            yield f"writes to stderr, which nbval compares: {output.text.strip()[:80]!r}"
        if "application/vnd.jupyter.widget-view+json" in output.get("data", {}):
            yield "stores a widget, whose state is not kept; nobody would see it without running the cell."
        for kind in output.get("data", {}):
            if kind.startswith("image/") and not output.metadata.get(kind, {}).get("alt"):
                yield "a picture without words; show it with learning.charts.finish, and run the lesson again."
        text = _output_text(output)
        for trace in MACHINE_TRACE.findall(text):
            yield f"the output names a place of one machine ({trace})."
        if STORED_TIMING.search(text) and "nbval-ignore-output" not in tags:
            yield "the output holds a timing; tag the cell nbval-ignore-output."


def minutes(notebook: NotebookNode) -> int:
    """Return the minutes that a lesson takes by the rule above, rounded to five.

    Example:
        >>> from nbformat.v4 import new_markdown_cell, new_notebook
        >>> minutes(new_notebook(cells=[new_markdown_cell("word " * 1500)]))
        10
    """
    answers = [cell for cell in notebook.cells if is_blank(cell)]
    words = sum(len(cell.source.split()) for cell in notebook.cells if cell.cell_type == "markdown")
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code" and cell not in answers]
    lines = sum(bool(line.strip()) for source in code for line in source.splitlines())
    predictions = sum(cell.source.count(PREDICTION) for cell in notebook.cells)
    whole = words / WORDS_A_MINUTE + lines / LINES_A_MINUTE
    whole += MINUTES_A_PREDICTION * predictions + MINUTES_A_BLANK * len(answers)
    whole += MINUTES_A_LINE * sum(map(_lines_to_write, answers))
    return 5 * round(whole / 5)


def minutes_of_exercises(path: Path) -> int:
    """Return the minutes that the cards in a lesson's notebook of exercises say, together; 0 for its second part."""
    lesson = path.name[:2]
    if lesson not in COURSE.lessons() or path.name != COURSE.notebook(lesson):
        return 0
    return sum(exercise.minutes for exercise in COURSE.contents(lesson).exercises)


def is_blank(cell: NotebookNode) -> bool:
    """Tell whether a code cell is the blank of an exercise."""
    return cell.cell_type == "code" and BLANK_ID.fullmatch(cell.id) is not None


def _lines_to_write(cell: NotebookNode) -> int:
    blanks = blanks_of(Path(cell.id))
    return written_lines(blanks[cell.id]) if cell.id in blanks else 0


def written_lines(exercise: Exercise) -> int:
    """Return how many lines of the answer to an exercise the learner writes: those that the blank lacks.

    Signatures, decorators, docstrings, imports and comments do not count. A class counts as a whole.

    >>> written_lines(COURSE.exercises("02")[0]) > 0
    True
    """
    code = answer_code(exercise)
    given = Counter(line.strip() for line in code.blank.splitlines())
    tree = ast.parse(code.without_markers())
    left_out: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            left_out.update(range(node.lineno, (node.end_lineno or 0) + 1))
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            first = node.body[1] if ast.get_docstring(node) is not None and len(node.body) > 1 else node.body[0]
            begin = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            left_out.update(range(begin, first.lineno))
    count = 0
    for number, line in enumerate(code.without_markers().splitlines(), start=1):
        text = line.strip()
        if text and text[0] != "#" and number not in left_out:
            given[text] -= 1
            count += given[text] < 0
    return count


def _print_learners_lines() -> bool:
    whole, enough = 0, True
    for lesson in sorted(WRITTEN_BY_LEARNERS + LATER_LESSONS):
        lines = {cell_id: written_lines(one) for cell_id, one in blanks_of(Path(lesson)).items()}
        written = sum(lines.values())
        if lesson in WRITTEN_BY_LEARNERS:
            whole += written
        else:
            enough = enough and written >= FEWEST_IN_A_LATER_LESSON
        named = ", ".join(f"{cell_id.partition('-')[2]} {count}" for cell_id, count in reversed(lines.items()))
        print(f"{lesson}  {written:4}  {named}")
    print(f"core {whole:3}  at least {FEWEST_LEARNERS_LINES}; in {', '.join(LATER_LESSONS)} at least "
          f"{FEWEST_IN_A_LATER_LESSON} each")  # fmt: skip
    return enough and whole >= FEWEST_LEARNERS_LINES


def _has_heading(cell: NotebookNode, words: str) -> bool:
    return cell.cell_type == "markdown" and bool(re.search(rf"^#+ .*{re.escape(words)}", cell.source, re.MULTILINE))


def _checks_something(cell: NotebookNode) -> bool:
    """Tell whether a code cell asserts, checks a blank, or calls something named ``check…`` or ``assert…``."""
    if cell.cell_type != "code":
        return False
    if is_blank(cell):
        return True
    for node in ast.walk(_parsed(cell.source)):
        if isinstance(node, ast.Assert):
            return True
        if isinstance(node, ast.Call):
            called = node.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            if name.startswith(("check", "assert")):
                return True
    return False


def _parsed(source: str) -> ast.Module:
    try:
        return ast.parse(TransformerManager().transform_cell(source))
    except SyntaxError:
        # A cell that shows a syntax error on purpose has nothing to check.
        return ast.Module(body=[], type_ignores=[])


def _is_kernel_notice(output: NotebookNode) -> bool:
    return output.output_type == "stream" and output.name == "stderr" and not KERNEL_NOTICE.sub("", output.text).strip()


def _output_text(output: NotebookNode) -> str:
    if output.output_type == "stream":
        return str(output.text)
    if output.output_type == "error":
        return "\n".join([output.evalue, *output.traceback])
    data: dict[str, Any] = output.get("data", {})
    return "\n".join(str(value) for kind, value in data.items() if not kind.startswith("image/png"))


def _tagged(notebook: NotebookNode) -> str:
    """List the cells that nbval does not compare, for reviewers."""
    tagged = [
        f"cell {number}: {', '.join(cell.metadata.tags)}"
        for number, cell in enumerate(notebook.cells, start=1)
        if cell.metadata.get("tags")
    ]
    return "; ".join(tagged) or "no tags: nbval compares every output"


def _run_and_store(path: Path) -> bool:
    began = time.perf_counter()
    print(f"{path.name}: running", flush=True)
    try:
        notebook = run(path)
    except CellExecutionError as error:
        print(f"{path.name}: a cell failed, the file is unchanged.\n{error}", file=sys.stderr)
        return False
    write(path, notebook)
    print(
        f"{path.name}: {len(notebook.cells)} cells in {time.perf_counter() - began:.1f} s; {_tagged(notebook)}",
        flush=True,
    )
    return True


def _normalise_and_store(path: Path) -> bool:
    notebook = read(path)
    before = nbformat.writes(notebook)
    normalise(notebook)
    if nbformat.writes(notebook) != before:
        write(path, notebook)
        print(f"{path.name}: normalised")
    return True


def _tell_minutes(path: Path) -> bool:
    """Write the minutes of a lesson into its first cell, and with those of its exercises into the README."""
    notebook = read(path)
    first = notebook.cells[0]
    said = re.sub(r"About \d+ minutes", f"About {minutes(notebook)} minutes", first.source)
    if said != first.source:
        first.source = said
        write(path, notebook)
    text = README.read_text(encoding="utf-8")
    row = re.compile(rf"^(\| \**`{path.stem}`\** \|.*\|) [\d–]+ \| [\d–]+ \|$", re.MULTILINE)
    changed, found = row.subn(rf"\g<1> {minutes(notebook)} | {minutes_of_exercises(path) or '–'} |", text)
    if changed != text:
        write_whole(README, changed.encode("utf-8"))
    print(f"{path.name}: {minutes(notebook)} minutes" + ("" if found else "; the README has no row for it"))
    return bool(found)


def _report(path: Path) -> bool:
    found = problems(path)
    print("\n".join(found) or f"{path.name}: within its budgets")
    return not found


def main(arguments: list[str] | None = None) -> int:
    """Do one verb for every file named; return 0 when all is well, 1 otherwise."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.notebooks", description="Execute, normalise, check the lessons."
    )
    parser.add_argument("verb", nargs="?", choices=["run", "normalise", "check", "minutes"])
    parser.add_argument("files", nargs="*", type=Path, help="notebooks; every lesson when none is named")
    parser.add_argument("--learners-lines", action="store_true", help="print how many lines the learner writes")
    options = parser.parse_args(arguments)
    if options.learners_lines:
        return 0 if _print_learners_lines() else 1
    if options.verb is None:
        parser.error("name a verb: run, normalise, check or minutes")
    do = {"run": _run_and_store, "normalise": _normalise_and_store, "check": _report, "minutes": _tell_minutes}[
        options.verb
    ]
    # Continue with the other files after a failure.
    outcomes = [do(path) for path in options.files or sorted(LESSONS.glob("*.ipynb"))]
    return 0 if all(outcomes) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except MinbpeCourseError as problem:
        sys.exit(f"tools.notebooks: {problem}")
