"""Right answers that look odd. Not one of them may lose a point."""

from __future__ import annotations

RIGHT = """
def merge(ids, pair, new_id):
    out, i = [], 0
    while i < len(ids):
        if i + 1 < len(ids) and (ids[i], ids[i + 1]) == tuple(pair):
            out.append(new_id)
            i += 2
        else:
            out.append(ids[i])
            i += 1
    return out
"""


def first(line: str) -> str:
    """Return the right answer with a line before all others."""
    return RIGHT.replace("    out, i", f"    {line}\n    out, i")


# name -> (answer, packages)
ODD: dict[str, tuple[str, tuple[str, ...]]] = {
    "prints a great deal": (first("print('x' * 200_000)"), ()),
    "a thread that goes on": (
        "import threading, time\n" + first("threading.Thread(target=time.sleep, args=(20,)).start()"),
        (),
    ),
    "the course with all its modules": (
        "import minbpe_course as mc\nfrom minbpe_course.learning import charts as t\nfrom minbpe_course import *\n"
        + RIGHT
        + "mc.showing.show(t.draw(1), x=mc.check)\nfor _ in mc.progress(): pass\nwith mc.something: pass\n",
        (),
    ),
    "an end below it": (RIGHT + "\nimport sys\nsys.exit(0)\n", ()),
    "closing its output": (first("import sys; sys.stdout.close(); sys.stderr = None"), ()),
    "an array of numpy": (
        "import numpy as np\n" + RIGHT.replace("    return out", "    return np.array(out, dtype=np.uint32)"),
        ("numpy",),
    ),
    "regex": ("import regex\n" + first(r"assert regex.fullmatch(r'\p{L}+', 'é')"), ("regex",)),
}
