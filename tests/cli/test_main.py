"""Every verb has help with examples that parse, reports errors alike, and starts quickly."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys

import pytest

from minbpe_course.cli.main import NAME, VERBS, main, module_of, parser_of, summary

HEAVY = {
    "IPython", "jupyterlab", "llvmlite", "matplotlib", "mistral_common", "nbformat", "numba", "numpy", "regex",
    "sentencepiece", "shtab", "tiktoken",
}  # fmt: skip


def examples() -> list[list[str]]:
    """Every command of ours in the examples of every verb, as a shell would give it."""
    found = []
    for verb in VERBS:
        for line in module_of(verb).EXAMPLES.splitlines():
            # Text after three spaces is a comment on the line.
            lexer = shlex.shlex(line.split("   ")[0], posix=True, punctuation_chars="|<>")
            lexer.whitespace_split = True
            words: list[str] = []
            for word in [*lexer, "|"]:
                if set(word) <= set("|<>"):
                    found += [words] if words[:1] == [NAME] else []
                    words = []
                else:
                    words.append(word)
    return found


@pytest.mark.parametrize("words", examples(), ids=" ".join)
def test_every_example_can_be_typed(words: list[str]) -> None:
    args, unknown = parser_of(words[1]).parse_known_intermixed_args(words[2:])
    assert unknown == []
    # The usual order of options and files gives the same result.
    assert parser_of(words[1]).parse_args(words[2:]) == args


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_says_what_it_does(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main([verb, "--help"])
    assert left.value.code == 0
    page = capsys.readouterr().out
    assert page.startswith(f"usage: {NAME} {verb} ")
    assert f"examples:\n  {NAME} {verb}" in page
    assert any(words[1] == verb for words in examples())
    for action in parser_of(verb)._actions:
        assert action.help, f"{verb} does not say what {action.dest} is"
    line = summary(module_of(verb))
    assert line[0].isupper()
    assert line.endswith(".")
    assert line in " ".join(page.split()), "the first line of the file is what it does"


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        (["--json", "doctor"], "minbpe-course: the verb comes first: minbpe-course doctor ..."),
        (["--verson"], "minbpe-course: unrecognized arguments: --verson"),
        (
            ["inspect", "gpt2", "--token", "the"],
            "minbpe-course inspect: --token the: not understood. Did you mean --find?",
        ),
        (
            ["inspect", "gpt2", "--unreach"],
            "minbpe-course inspect: --unreach: not understood. Did you mean --unreached?",
        ),
        (["doctor", "surplus"], "minbpe-course doctor: surplus: not understood."),
        (["show", "--format"], "minbpe-course show: argument --format: expected one argument"),
        (["show", "--format", "pdf"], "minbpe-course show: argument --format: invalid choice: 'pdf'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_an_invalid_line_gets_one_answer(typed: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(typed)
    assert left.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(says), err
    assert f"usage: {NAME}" in err


def test_help_without_docstrings() -> None:
    program = (
        "from minbpe_course.cli.main import VERBS, main\n"
        "for verb in VERBS:\n"
        "    try: main([verb, '--help'])\n"
        "    except SystemExit: pass\n"
        "main(['--help'])"
    )
    usual, bare = (
        subprocess.run([sys.executable, *level, "-c", program], capture_output=True, text=True, check=False)
        for level in ((), ("-OO",))
    )
    assert (bare.returncode, bare.stderr) == (0, "")
    assert bare.stdout == usual.stdout


def test_help_imports_no_heavy_dependency() -> None:
    """Help imports no heavy dependency, and a verb imports no other verb."""
    program = (
        "import json, sys\n"
        "from minbpe_course.cli.main import VERBS, main, tree\n"
        "def asked(*typed):\n"
        "    try: main(list(typed))\n"
        "    except SystemExit: pass\n"
        "asked('doctor', '--help')\n"
        "one = [name for name in sys.modules if name.startswith('minbpe_course.')]\n"
        "asked('--help'); asked('--version'); tree()\n"
        "for verb in VERBS: asked(verb, '--help')\n"
        "print(json.dumps([one, sorted({name.partition('.')[0] for name in sys.modules})]))"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    one, everything = json.loads(run.stdout.splitlines()[-1])
    assert {name for name in one if name.startswith("minbpe_course.cli.")} == {
        "minbpe_course.cli.compiling", "minbpe_course.cli.doctor", "minbpe_course.cli.exit_codes",
        "minbpe_course.cli.main", "minbpe_course.cli.terminal",
    }  # fmt: skip
    assert set(everything) & HEAVY == set()
