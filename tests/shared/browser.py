"""A real browser for tests: Chromium through Playwright, what a page says and asks for, axe, and JupyterLab.

``tests/conftest.py`` makes the fixtures known everywhere, so a test only names them:

    def test_the_page_says_nothing_wrong(new_tab, tmp_path):
        tab = new_tab(dark=True)
        tab.page.goto((tmp_path / "page.html").as_uri())
        tab.expect_quiet()                          # no error, no dialog, no request to another host
        assert serious_faults(tab.page) == []       # axe

    def test_a_lesson_runs(new_tab, jupyterlab):
        tab = new_tab()
        open_notebook(tab.page, jupyterlab, "notebooks/02_naive_bpe.ipynb")
        cells = run_all(tab.page)                   # the executed cells as they would be stored

Chromium is the program that MINBPE_COURSE_CHROMIUM names, else the first of the usual names on the PATH; where there
is none, or no Playwright, whoever asks for ``chromium`` is skipped with the reason. MINBPE_COURSE_BROWSER=required
turns the skip into a failure, for machines that must have one. Playwright keeps an event loop running in the thread
that started it, which others may stumble over, so no fixture lives longer than a module.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest

from minbpe_course.cli.learn import with_jupyter_folder
from tests.shared.page_blocks import ROOT
from tests.shared.patience import PATIENCE

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
LOOPBACK = {"127.0.0.1", "localhost", "::1"}
# Lower levels of axe are advice; these keep people from reading a page.
HARMFUL = ("serious", "critical")
PATIENCE_MS = 1000 * PATIENCE

# JupyterLab asks each kernel for its breakpoints; a kernel that has nothing to run may be ended before it answers.
ENDED_EARLY = (
    "Could not restore the debugger state: Canceled future for debug_request message before replies were done",
    "uncaught: Error: Canceled future for create_subshell_request message before replies were done",
)

# Only loopback is resolved; Tab.foreign records every other request.
ARGUMENTS = ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost", "--disable-dev-shm-usage"]


def chromium_program() -> str | None:
    """Return the Chromium or Chrome to start: MINBPE_COURSE_CHROMIUM, else the first of the usual names on the PATH."""
    named = os.environ.get("MINBPE_COURSE_CHROMIUM")
    places = [named] if named else [*map(shutil.which, PROGRAMS), *_where_installers_put_it()]
    return next((place for place in places if place and Path(place).is_file()), None)


def _where_installers_put_it() -> Iterator[str]:
    # macOS and Windows put no program on the PATH.
    yield "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
    for variable in ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"):
        yield str(Path(os.environ.get(variable, ""), "Google", "Chrome", "Application", "chrome.exe"))


def why_no_browser() -> str | None:
    """Return the reason why no browser can be used here, or None when one can."""
    for module in ("playwright", "axe_playwright_python"):
        if importlib.util.find_spec(module) is None:
            return f"{module} is not installed (pip install -e .[test])"
    if chromium_program() is None:
        named = os.environ.get("MINBPE_COURSE_CHROMIUM")
        wanted = f"MINBPE_COURSE_CHROMIUM names no program: {named}" if named else "no Chromium or Chrome on the PATH"
        return f"{wanted} (Debian, Ubuntu: apt install chromium)"
    return None


@dataclass
class Tab:
    """A page, and what it said, asked and did from its first moment on."""

    page: Any
    errors: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    def listen(self) -> None:
        """Write down errors of the console, uncaught exceptions, dialogs, and requests that left home."""
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda error: self.errors.append(f"uncaught: {error}"))
        self.page.on("dialog", self._asked)
        self.page.on("request", self._requested)
        self.page.on("response", self._answered)

    def forget(self) -> None:
        """Forget all events so far."""
        for heard in (self.errors, self.dialogs, self.foreign, self.failed):
            heard.clear()

    def expect_quiet(self, *, known: tuple[str, ...] = ()) -> None:
        """Fail when there was an error, dialog, failed or foreign request; ``known`` are errors by their whole text."""
        said = [error for error in self.errors if error not in known]
        heard = {"errors": said, "dialogs": self.dialogs, "failed": self.failed, "foreign": self.foreign}
        assert not any(heard.values()), heard

    def _said(self, message: Any) -> None:
        if message.type == "error":
            self.errors.append(message.text)

    def _asked(self, dialog: Any) -> None:
        self.dialogs.append(f"{dialog.type}: {dialog.message}")
        dialog.dismiss()

    def _requested(self, request: Any) -> None:
        address = urlsplit(request.url)
        if address.scheme in ("http", "https", "ws", "wss") and address.hostname not in LOOPBACK:
            self.foreign.append(request.url)

    def _answered(self, response: Any) -> None:
        if response.status >= 400:
            self.failed.append(f"{response.status} {urlsplit(response.url).path}")


@contextmanager
def launched() -> Iterator[Any]:
    """Start Chromium, and close it at the end."""
    from playwright.sync_api import sync_playwright

    # Chromium cannot start its sandbox as root; it only opens our own pages here.
    root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_program(), args=[*ARGUMENTS, *root])
        try:
            yield browser
        finally:
            browser.close()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """Yield a running Chromium, a Playwright ``Browser``, or skip the test."""
    reason = why_no_browser()
    if reason and os.environ.get("MINBPE_COURSE_BROWSER") == "required":
        pytest.fail(reason)
    if reason:
        pytest.skip(reason)
    with launched() as browser:
        yield browser


@contextmanager
def opened(chromium: Any, *, dark: bool = False, **options: Any) -> Iterator[Tab]:
    """Open a tab with an empty profile, listening before anything is loaded; close it at the end."""
    options = {"viewport": {"width": 1300, "height": 1000}, "locale": "en-GB"} | options
    context = chromium.new_context(color_scheme="dark" if dark else "light", **options)
    context.set_default_timeout(PATIENCE_MS)
    try:
        tab = Tab(context.new_page())
        tab.listen()
        yield tab
    finally:
        context.close()


@pytest.fixture
def new_tab(chromium: Any) -> Iterator[Callable[..., Tab]]:
    """``new_tab(dark=False, **options of Playwright's new_context)`` returns a fresh Tab; all are closed afterwards."""
    from contextlib import ExitStack

    with ExitStack() as stack:
        yield lambda **options: stack.enter_context(opened(chromium, **options))


def serious_faults(page: Any, *, within: str | None = None) -> list[str]:
    """Return what axe calls serious or critical on the page, a sentence for each element."""
    from axe_playwright_python.sync_playwright import Axe

    # With "preload" axe would fetch the style sheets again, from the wrong folder.
    options = {"resultTypes": ["violations"], "preload": False}
    found = Axe().run(page, context=within, options=options).response["violations"]
    return [
        f"{fault['id']} ({fault['impact']}): {fault['help']}: {' '.join(map(str, node['target']))}: {_why(node)}"
        for fault in found
        if fault["impact"] in HARMFUL
        for node in fault["nodes"]
    ]


def _why(node: dict[str, Any]) -> str:
    return "; ".join(check["message"] for kind in ("any", "all", "none") for check in node.get(kind, []))


@dataclass(frozen=True)
class Lab:
    """A JupyterLab server of our own on loopback: its address, its token, and the empty folder that it serves."""

    origin: str
    token: str
    folder: Path

    def address(self, path: str) -> str:
        """Return the address that opens ``path`` of the folder in a fresh JupyterLab."""
        return f"{self.origin}/lab/tree/{quote(path)}?token={self.token}&reset"

    def api(self, method: str, path: str) -> Any:
        """Ask the server itself; return what it answers."""
        request = urllib.request.Request(f"{self.origin}/api/{path}", method=method)
        request.add_header("Authorization", f"token {self.token}")
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            body = answer.read()
        return json.loads(body) if body else None


@pytest.fixture(scope="module")
def jupyterlab(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """Yield a ``Lab`` with its own folder, settings and kernels, and end all its processes afterwards."""
    home = tmp_path_factory.mktemp("jupyterlab")
    folder = home / "folder"
    folder.mkdir()
    token = os.urandom(16).hex()
    with (home / "log.txt").open("wb") as log:
        server = subprocess.Popen(
            _command(folder, token),
            cwd=folder,
            env=_environment(home),
            stdout=log,
            stderr=log,
            stdin=subprocess.DEVNULL,
        )
        try:
            yield Lab(_origin(server, home), token, folder)
        finally:
            _end(server, home, token)


def _command(folder: Path, token: str) -> list[str]:
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", f"--ServerApp.root_dir={folder}"]
    # Port 0: the system chooses a free one, and the server writes down which.
    command += ["--ServerApp.ip=127.0.0.1", "--ServerApp.port=0", f"--IdentityProvider.token={token}"]
    command += ["--LabApp.expose_app_in_browser=True", "--LabApp.news_url="]
    command += ["--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    return [*command, "--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else command


def _environment(home: Path) -> dict[str, str]:
    """Return an environment without the settings, kernels and sessions of the user."""
    places = {
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "IPYTHONDIR": "ipython",
    }
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("JUPYTER", "JPY_", "IPYTHON"))}
    made = {variable: str(home / name) for variable, name in places.items()}
    for place in made.values():
        Path(place).mkdir()
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    # Every cell is drawn, not only those in sight, so that an output which draws with an error is heard.
    tracker = Path(made["JUPYTERLAB_SETTINGS_DIR"], "@jupyterlab", "notebook-extension", "tracker.jupyterlab-settings")
    tracker.parent.mkdir(parents=True)
    tracker.write_text('{"windowingMode": "none"}', encoding="utf-8")
    return {**kept, **made, **with_jupyter_folder({}), "PYTHONPATH": path}


def _origin(server: subprocess.Popen[bytes], home: Path) -> str:
    """Wait until the server answers, and return where."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and server.poll() is None:
        for record in (home / "runtime").glob("jpserver-*.json"):
            try:
                origin = f"http://127.0.0.1:{json.loads(record.read_text(encoding='utf-8'))['port']}"
                urllib.request.urlopen(f"{origin}/api", timeout=5).close()
            except (OSError, ValueError):
                continue
            return origin
        time.sleep(0.1)
    said = (home / "log.txt").read_text(encoding="utf-8", errors="replace")
    pytest.fail(f"JupyterLab does not serve (exit code {server.poll()}):\n{said[-3000:]}")


def _end(server: subprocess.Popen[bytes], home: Path, token: str) -> None:
    """Ask the server to end itself and its kernels, and insist when it does not."""
    for record in (home / "runtime").glob("jpserver-*.json"):
        lab = Lab(f"http://127.0.0.1:{json.loads(record.read_text(encoding='utf-8'))['port']}", token, home)
        try:
            lab.api("POST", "shutdown")
        except (OSError, urllib.error.URLError):
            break
    for insist in (lambda: None, server.terminate, server.kill):
        insist()
        try:
            server.wait(timeout=15)
            return
        except subprocess.TimeoutExpired:
            continue


def open_notebook(page: Any, lab: Lab, path: str, *, theme: str | None = None) -> None:
    """Open a notebook of the lab's folder and wait until its kernel is idle; ``theme``: "JupyterLab Dark", or its like.

    The notebook must name its kernel (metadata.kernelspec), or JupyterLab asks a person which one to take. A page in
    which JupyterLab is running already closes what is open, unsaved, and goes on: loading it again takes seconds.
    """
    if page.evaluate("() => Boolean(window.jupyterapp)"):
        page.evaluate(
            """path => {
                for (const widget of [...jupyterapp.shell.widgets("main")]) widget.dispose();
                return jupyterapp.commands.execute("docmanager:open", {path}).then(() => null);
            }""",
            path,
        )
    else:
        page.goto(lab.address(path))
    wait_for_notebook(page, path)
    if theme is not None:
        choose_theme(page, theme)


def choose_theme(page: Any, theme: str) -> None:
    """Give JupyterLab a theme, "JupyterLab Dark" or its like, and wait until the page has it."""
    page.evaluate("theme => jupyterapp.commands.execute('apputils:change-theme', {theme})", theme)
    page.wait_for_function("theme => document.body.dataset.jpThemeName === theme", arg=theme)


def wait_for_notebook(page: Any, path: str) -> None:
    """Wait until this notebook is in front and its kernel is idle."""
    page.wait_for_function(
        """name => {
            const panel = window.jupyterapp?.shell?.currentWidget;
            return panel?.context?.path === name && panel.context.isReady
                && panel.sessionContext?.session?.kernel?.status === "idle";
        }""",
        arg=path,
        timeout=PATIENCE_MS,
    )


def run_all(page: Any, *, timeout_s: float = PATIENCE) -> list[dict[str, Any]]:
    """Run every cell of the notebook in front, top to bottom; return the cells as they would be stored.

    JupyterLab stops at the first error, so later cells keep their former output and count.
    """
    # The command is executed by name: clicking through the Run menu hangs now and then. It ends when the last cell has.
    ended = page.evaluate(
        """seconds => Promise.race([
            jupyterapp.commands.execute("notebook:run-all-cells").then(() => "ended"),
            new Promise(done => setTimeout(() => done("late"), 1000 * seconds)),
        ])""",
        timeout_s,
    )
    assert ended == "ended", f"the notebook was still running after {timeout_s:g} seconds"
    return cells(page)


def cells(page: Any) -> list[dict[str, Any]]:
    """Return the cells of the notebook in front as they would be stored."""
    return list(page.evaluate("() => jupyterapp.shell.currentWidget.content.model.toJSON().cells"))


def end_kernels(lab: Lab) -> None:
    """End the kernels of the lab, so that the next notebook has the machine to itself."""
    for session in lab.api("GET", "sessions"):
        lab.api("DELETE", f"sessions/{session['id']}")
