"""Build the site into a folder.

    python -m tools.course_site                 into build/site
    python -m tools.course_site --out FOLDER    elsewhere

The old site stays until the new one is built and every link of it is checked; a warning of the builder is a fault.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.course_site import icons, links
from tools.course_site.source import PLAYGROUND, ROOT, lay_out

BUILD = "from jupyter_book.cli.main import main; main()"


def build(out: Path) -> list[str]:
    """Build the site and put it at ``out``, in place of what was there; return what is wrong, and then move nothing."""
    with tempfile.TemporaryDirectory(prefix="course-site-") as temporary:
        source, made = Path(temporary, "source"), Path(temporary, "made")
        source.mkdir()
        lay_out(source, playground=_playground(Path(temporary)))
        # Kernels as plain Python: their signatures and docstrings are wanted, and nothing is compiled for that.
        environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT), "MPLBACKEND": "Agg"}
        command = ["build", str(source), "--path-output", str(made), "--all", "--warningiserror", "--keep-going", "-q"]
        run = subprocess.run(
            [sys.executable, "-c", BUILD, *command],
            cwd=source,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        if run.returncode:
            return run.stdout.decode("utf-8", "replace").replace(f"{source}{os.sep}", "").splitlines()
        site = made / "_build" / "html"
        shutil.copytree(source / PLAYGROUND, site / PLAYGROUND)
        polish(site)
        found = links.problems(site)
        if not found:
            out.parent.mkdir(parents=True, exist_ok=True)
            shutil.rmtree(out, ignore_errors=True)
            shutil.move(site, out)
        return found


# The theme loads the search index with every page, but only the page of the search uses it.
SEARCH = re.compile(r'\s*<script src="[^"]*(?:searchtools|language_data|searchindex)\.js"></script>')

# Styles for cards and tabs, which no page has.
CARDS = re.compile(r"\s*<link [^>]*\bsphinx-design[^>]*>")
# In code, names, punctuation and spaces have the colour of plain text: marked up, they are a fourth of a page.
PLAIN = re.compile(r'<span class="[npw]">([^<]*)</span>')


def polish(site: Path) -> None:
    """Offer the notebooks as they are, and fix the theme.

    It has templates that are not pages, arrows without a label, and scripts that a page does not need.
    """
    for page in (site / "_sources").glob("*/*.ipynb"):
        shutil.copyfile(ROOT / page.relative_to(site / "_sources"), page)
    for template in (site / "_static").glob("*macros.html"):
        template.unlink()
    known = icons.pictures((site / icons.SCRIPT).read_text(encoding="utf-8"))
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        text = icons.with_icons(text.replace("<summary><span", '<summary aria-label="pages below"><span'), known)
        text = CARDS.sub("", PLAIN.sub(r"\1", text))
        path.write_text(text if path.name == "search.html" else SEARCH.sub("", text), encoding="utf-8")
    for path in (site / icons.SCRIPT).parent.glob(f"{icons.SCRIPT.stem}.js*"):
        path.unlink()


def _playground(folder: Path) -> Path:
    """Return the page that ``minbpe-course playground`` writes."""
    page = folder / "playground.html"
    command = [sys.executable, "-m", "minbpe_course", "playground", "--out", str(page)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=os.environ | {"PYTHONPATH": str(ROOT)})
    return page


def main(arguments: list[str] | None = None) -> int:
    """Build, say where it is or what is wrong; return 0 when all is well, 1 otherwise."""
    parser = argparse.ArgumentParser(prog="python -m tools.course_site", description="Build the site of the course.")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "site", help="where to put it (build/site)")
    out: Path = parser.parse_args(arguments).out
    found = build(out.resolve())
    if found:
        print("\n".join(found), file=sys.stderr)
        print(f"the site is not built: {len(found)} lines above say why", file=sys.stderr)
        return 1
    print(f"the site is built: open {out / 'index.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
