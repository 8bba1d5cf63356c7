"""Copy the lessons into a folder of yours, and open them there in JupyterLab."""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import os
import socket
import subprocess
import sys
import threading
import webbrowser
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from minbpe_course.cli import lessons
from minbpe_course.cli.terminal import ask, say
from minbpe_course.errors import InvalidOption, MissingPackage
from minbpe_course.extras import PROJECT, install_command, missing_packages
from minbpe_course.start_python import program, python_module

_HEAD_START = 4.0  # seconds
_BY_HAND = f"In a new environment: python -m venv course, activate it, {install_command('course')}"

EXAMPLES = """\
minbpe-course learn
minbpe-course learn my_lessons --no-open
minbpe-course learn my_lessons --port 9000 --no-browser
"""


def add_args(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument(
        "folder",
        nargs="?",
        type=Path,
        help=f"where to put your copies of the lessons (default: {lessons.DEFAULT_FOLDER}, here or at the root of a "
        "checkout)",
    )
    parser.add_argument("--no-open", action="store_true", help="only copy the lessons; start nothing")
    parser.add_argument("--no-browser", action="store_true", help="serve and print the URL, but open no browser")
    parser.add_argument(
        "--port", type=int, default=8888, help="port to serve on; the next free one if taken (default: 8888)"
    )
    parser.add_argument(
        "--ip", default="localhost", help="address to serve on; 0.0.0.0 inside a container (default: localhost)"
    )


def run(args: argparse.Namespace) -> int:
    """Copy the lessons, and serve JupyterLab until it is stopped; the kernels are compiled meanwhile."""
    # Check all options before the first file is written.
    if not 0 < args.port < 65536:
        raise InvalidOption(f"--port {args.port}: a port is a number from 1 to 65535, for example --port 8888.")
    try:
        socket.getaddrinfo("" if args.ip == "*" else args.ip, args.port, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise InvalidOption(
            f"--ip {args.ip}: this machine knows no such address. Say --ip localhost, or --ip 0.0.0.0 in a container."
        ) from error
    if not args.no_open:
        install_what_is_missing()
    folder = (args.folder or lessons.default_folder()).absolute()
    laid = lessons.lay(folder, lessons.source_folder())
    say(f"minbpe-course: lessons in {folder}: {laid.summary()}")
    if args.no_open:
        return 0
    browser = not args.no_browser and has_browser()
    first = "opening a browser; it shows the URL below" if browser else "open the URL below in a browser"
    say(f"minbpe-course: {first}. The kernels are compiled meanwhile. Ctrl-C, twice, stops the server.")
    with compiling_meanwhile():
        return _serve(folder, browser=browser, port=args.port, ip=args.ip)


def install_what_is_missing() -> None:
    """Install what the lessons need and is not here, if the learner agrees. Raises MissingPackage."""
    missing = missing_packages("course")
    if not missing:
        return
    what = f"the lessons need packages that are not installed: {', '.join(missing)}"
    size = "about 450 MB, a few minutes"
    if sys.stdin is None or not sys.stdin.isatty():
        raise MissingPackage(f"{what}\nInstall them ({size}): {install_command('course')}")
    say(f"minbpe-course: {what}")
    answer = ask(f"Install them now ({size})? [Y/n]").lower()  # only Enter is a yes, not the end of the input
    if answer.strip() not in ("", "y", "yes") or not answer:
        raise MissingPackage(f"nothing was installed. To do it later: {install_command('course')}")
    # uv reads its settings in the current folder, so it is started in another one.
    if subprocess.run([*_installer(), f"{PROJECT}[course]"], check=False, cwd=sys.prefix).returncode:
        raise MissingPackage(f"the packages could not be installed; the lines above say why. {_BY_HAND}")
    importlib.invalidate_caches()


def _installer() -> list[str]:
    """Return the command that installs into this Python: pip, or uv, whose environments have no pip."""
    if importlib.util.find_spec("pip") is not None:
        return python_module("pip", "install", "--disable-pip-version-check")
    if (uv := program("uv")) is not None:
        return [uv, "pip", "install", "--python", sys.executable]
    raise MissingPackage(f"this Python has no pip to install them with. {_BY_HAND}")


@contextlib.contextmanager
def compiling_meanwhile() -> Iterator[None]:
    """Compile the kernels in a separate process, which ends with the block and prints nothing after the URL.

    A lesson that needs a kernel before it is ready compiles that one itself.
    """
    started: list[subprocess.Popen[bytes]] = []
    here = Path.cwd()  # the server changes it

    def start() -> None:
        # In a separate process group, so that Ctrl-C reaches only the server: on POSIX, and on Windows.
        apart: dict[str, Any] = {"start_new_session": True}
        apart["creationflags"] = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
        quiet: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
        started.append(subprocess.Popen(python_module("minbpe_course", "warm-up"), cwd=here, **quiet, **apart))

    # The server first: it answers after a few seconds.
    timer = threading.Timer(_HEAD_START, start)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        for process in started:
            process.terminate()
            process.wait()


def has_browser() -> bool:
    """Return whether there is a graphical browser to open, which a server or a container lacks."""
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return False
    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    return True


def server_arguments(folder: Path, *, browser: bool, port: int, ip: str) -> list[str]:
    """Return the arguments of JupyterLab: the folder, the first lesson, and no network access."""
    arguments = [
        f"--ServerApp.root_dir={folder}",
        f"--LabApp.default_url=/lab/tree/{lessons.FIRST_LESSON}",
        f"--ServerApp.ip={ip}",
        f"--ServerApp.port={port}",
        f"--ServerApp.open_browser={browser}",
        # The log then has only the URL and errors.
        "--ServerApp.log_level=ERROR",
        "--LabApp.log_level=ERROR",
        "--LabApp.news_url=",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    ]
    # Jupyter refuses to run as root without this, and a container often has no other user.
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        arguments.append("--allow-root")
    return arguments


def with_jupyter_folder(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that add the folder ``jupyter`` to Jupyter's own: no question about news, our extension.

    The extension is taken from here, even where an older installation has left a copy of it.
    """
    own = str(Path(__file__).with_name("jupyter"))
    names = ("JUPYTER_CONFIG_PATH", "JUPYTER_PATH")
    return {name: os.pathsep.join(filter(None, [own, environment.get(name)])) for name in names}


def _serve(folder: Path, *, browser: bool, port: int, ip: str) -> int:
    # In this process, so that Ctrl-C and a signal to it end the server and not only its parent.
    from jupyterlab.labapp import LabApp

    os.environ.update(with_jupyter_folder(os.environ))
    # Terminals that the server opens start in the lesson folder, too.
    os.chdir(folder)
    LabApp.launch_instance(server_arguments(folder, browser=browser, port=port, ip=ip))
    return 0
