"""Open the lessons in JupyterLab; after pip install, lay them into a folder of yours first."""

from __future__ import annotations

import argparse
import os
import sys
import webbrowser
from pathlib import Path

from minbpe_course.cli import lessons
from minbpe_course.cli.warm_up import warm
from minbpe_course.errors import LessonsProblem

DEFAULT_FOLDER = "minbpe_course_lessons"
EXAMPLES = """\
minbpe-course learn
minbpe-course learn my_lessons --no-open
minbpe-course learn my_lessons --port 9000 --no-browser
"""


def add_args(parser: argparse.ArgumentParser) -> None:
    """Add the folder and the options of ``learn``.

    Example:
        >>> parser = argparse.ArgumentParser()
        >>> add_args(parser)
        >>> parser.parse_args(["my_lessons", "--no-open"]).folder.name
        'my_lessons'
    """
    parser.add_argument(
        "folder",
        nargs="?",
        type=Path,
        help=f"where to lay the lessons (default: ./{DEFAULT_FOLDER}; in a checkout: its own notebooks)",
    )
    parser.add_argument("--no-open", action="store_true", help="only lay the lessons down; start nothing")
    parser.add_argument("--no-browser", action="store_true", help="serve and print the URL, but open no browser")
    parser.add_argument(
        "--port", type=int, default=8888, help="port to serve on; the next free one if taken (default: 8888)"
    )
    parser.add_argument(
        "--ip", default="localhost", help="address to serve on; 0.0.0.0 inside a container (default: localhost)"
    )


def run(args: argparse.Namespace) -> int:
    """Lay the lessons down where that is wanted, compile the kernels, and serve JupyterLab until it is stopped."""
    folder = lessons.checkout() if args.folder is None else None
    if folder is None:
        folder = (args.folder or Path(DEFAULT_FOLDER)).absolute()
        laid = lessons.lay(folder, lessons.source_folder())
        print(f"minbpe-course: lessons in {folder}: {laid.summary()}", flush=True)
    else:
        print(f"minbpe-course: the lessons of this checkout, {folder / 'notebooks'}", flush=True)
    if args.no_open:
        return 0
    if not 0 < args.port < 65536:
        raise LessonsProblem(f"--port {args.port}: a port is a number from 1 to 65535, for example --port 8888.")
    warm(heading="warming the kernels (a minute or two the first time, seconds afterwards)")
    lessons.trust(folder)
    browser = not args.no_browser and has_browser()
    first = "opening a browser; it shows the URL below" if browser else "open the URL below in a browser"
    print(f"minbpe-course: {first}. Ctrl-C, twice, stops the server.", flush=True)
    return _serve(folder, browser=browser, port=args.port, ip=args.ip)


def has_browser() -> bool:
    """Tell whether there is a browser to open: a server or a container has none, or one for terminals only."""
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return False
    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    return True


def server_arguments(folder: Path, *, browser: bool, port: int, ip: str) -> list[str]:
    """Return what JupyterLab is told: the folder, the first lesson, and to look for no news on the network.

    Example:
        >>> server_arguments(Path("lessons"), browser=False, port=8888, ip="localhost")[:2]
        ['--ServerApp.root_dir=lessons', '--LabApp.default_url=/lab/tree/notebooks/00_start_here.ipynb']
    """
    arguments = [
        f"--ServerApp.root_dir={folder}",
        f"--LabApp.default_url=/lab/tree/{lessons.FIRST_LESSON}",
        f"--ServerApp.ip={ip}",
        f"--ServerApp.port={port}",
        f"--ServerApp.open_browser={browser}",
        # What is left of the log is the URL, and whatever goes wrong.
        "--log-level=WARN",
        "--LabApp.news_url=",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    ]
    # Jupyter refuses to run as root unless told; in a container there is often nobody else.
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        arguments.append("--allow-root")
    return arguments


def _serve(folder: Path, *, browser: bool, port: int, ip: str) -> int:
    # In this process, so that Ctrl-C and a signal to it end the server and not only its parent.
    from jupyterlab.labapp import LabApp

    # Whether to read news from the network is no question for somebody's first look at a lesson. The learner's own
    # settings come after this folder and still win.
    quiet = str(Path(__file__).with_name("jupyter"))
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(filter(None, [quiet, os.environ.get("JUPYTER_CONFIG_PATH")]))

    LabApp.launch_instance(server_arguments(folder, browser=browser, port=port, ip=ip))
    return 0
