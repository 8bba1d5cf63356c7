"""The SentencePiece tests can fail: each mistake that a rebuild of SentencePiece is known to make, made on purpose.

As in ``test_planted_faults``, which also has the faults of the BPE kernels: every fault is planted in a copy of the
package, and the rule that it breaks must notice, with Numba switched off. A new fault is a line of the table.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest
from test_planted_faults import Fault, run_in_a_copy, swap


def read(*rules: str) -> tuple[str, ...]:
    return tuple(f"tests/test_piece_rules.py::test_small_the_rule_when_read[{rule}]" for rule in rules)


def used(*rules: str) -> tuple[str, ...]:
    return tuple(f"tests/test_piece_rules.py::test_small_the_rule_in_the_class[{rule}]" for rule in rules)


PIECES, TEXT, SHAPED = "reference/pieces.py", "text/normalize.py", "tokenizers/sentencepiece_shaped/"

FAULTS = [
    # ---- What is read: BPE
    Fault("of equal scores the rightmost merges", PIECES,
          swap("(-score_order(self.scores[self.mergeable[joined]]), left, right, joined)",
               "(-score_order(self.scores[self.mergeable[joined]]) * 4096 - left, left, right, joined)"),
          read("of equal scores the leftmost merges")),
    Fault("-0.0 is 0.0", PIECES, swap("-(bits & 0x7FFFFFFF) - 1", "-(bits & 0x7FFFFFFF)"), read("-0.0 is below 0.0")),
    Fault("all occurrences merge at once", PIECES,
          swap("        symbols[best : best + 2] = [Symbol(symbols[best].text + symbols[best + 1].text)]\n",
               "        pair = symbols[best], symbols[best + 1]\n"
               "        for at in range(len(symbols) - 2, -1, -1):\n"
               "            if tuple(symbols[at : at + 2]) == pair and (at - best) % 2 == 0:\n"
               "                symbols[at : at + 2] = [Symbol(pair[0].text + pair[1].text)]\n"),
          read("one merge at a time")),
    Fault("user-defined pieces merge", PIECES, swap("frozen=length > 0", "frozen=False"),
          read("user-defined pieces are frozen")),
    Fault("unused pieces never merge", PIECES,
          swap("        if joined in self.mergeable:\n", "        if joined in self.mergeable and len(joined) > 2:\n"),
          read("unused pieces merge and fall apart")),
    Fault("unused pieces come out", PIECES,
          swap("return at if at >= 0 and model.kinds[at] != UNUSED else -1", "return at"),
          read("unused pieces merge and fall apart")),
    Fault("unknown pieces side by side stay apart", PIECES,
          swap("elif tokens and tokens[-1].id == model.unk_id:", "elif False:"),
          read("unknown pieces side by side are one")),
    Fault("bytes have one hex digit where one is enough", PIECES,
          swap('Token(model.byte_ids[byte], f"<0x{byte:02X}>", part)', 'Token(model.byte_ids[byte], f"<0x{byte:X}>", part)'),
          read("what is unknown becomes bytes")),
    Fault("control pieces come out of text", "model/piece_rules.py",
          swap("WRITTEN_KINDS = (NORMAL, USER_DEFINED, UNUSED)", "WRITTEN_KINDS = (NORMAL, USER_DEFINED, UNUSED, CONTROL)"),
          read("control pieces are no text")),
    Fault("scores of the packed table are not told apart by sign", "packing_pieces.py",
          swap("np.where(bits >= 0, bits, -(bits & 0x7FFFFFFF) - 1)", "np.where(bits >= 0, bits, -(bits & 0x7FFFFFFF))"),
          used("-0.0 is below 0.0")),
    Fault("user-defined pieces are not cut out", SHAPED + "piece_symbols.py",
          swap("                users[data] = piece_id\n            continue\n",
               "                users[data] = piece_id\n"),
          used("user-defined pieces are frozen", "the longest user-defined piece")),
    # ---- What is read: the normaliser
    Fault("the first user-defined piece is taken", TEXT,
          swap("                if nested == MOST_NESTED_PIECES:\n", "                if nested == 1:\n"),
          read("the longest user-defined piece")),
    Fault("any number of nested pieces is looked at", TEXT, swap("MOST_NESTED_PIECES = 64", "MOST_NESTED_PIECES = 640"),
          read("no more than 64 nested")),
    Fault("no space is put in front", TEXT,
          swap("if add_dummy_prefix and not treat_whitespace_as_suffix:", "if False:"), read("a space in front")),
    Fault("the space is put in front although it belongs behind", TEXT,
          swap("if add_dummy_prefix and not treat_whitespace_as_suffix:", "if add_dummy_prefix:"),
          read("a space behind")),
    Fault("user-defined pieces are not looked for in the raw text", TEXT,
          swap("copied = user_defined.length(text, at)", "copied = 0"), read("user-defined pieces on the raw text")),
    Fault("the shortest rule is applied", TEXT, swap("return nested[-1] if nested", "return nested[0] if nested"),
          read("rules of the model's own table")),
    Fault("a surrogate in UTF-8 is a character", TEXT,
          swap('text[at : at + length].decode("utf-8")', 'text[at : at + length].decode("utf-8", "surrogatepass")'),
          read("a bad byte is one U+FFFD")),
    Fault("spaces behind are kept", TEXT,
          swap("while remove_extra_whitespaces and out.endswith(space):", "while False:"), read("spaces are removed")),
    Fault("spaces in front are kept", TEXT,
          swap("after_space = remove_extra_whitespaces\n", "after_space = False\n"),
          read("spaces are removed", "a rule that gives nothing")),
    Fault("an empty replacement ends a run of spaces", TEXT,
          swap("if output and remove_extra_whitespaces:", "if remove_extra_whitespaces:"),
          read("spaces are removed", "a rule that gives nothing")),
    # ---- What is read: Unigram, words
    Fault("unknown is nine below the lowest", "reference/lattice.py",
          swap("UNKNOWN_PENALTY = 10.0", "UNKNOWN_PENALTY = 11.0"), read("unknown is ten below the lowest")),
    Fault("unused pieces count for the lowest", "reference/lattice.py",
          swap("if kind == NORMAL]", "if kind in (NORMAL, UNUSED)]"), read("unknown is ten below the lowest")),
    Fault("sums are made in double precision", "reference/lattice.py",
          swap("return c_float(number).value", "return number"), read("sums are float32")),
    Fault("far sums are never set back", "reference/unigram.py",
          swap("FARTHEST_SUM = 100_000.0", "FARTHEST_SUM = 1e30"), read("far sums are set back")),
    Fault("of equal sums the last found wins", "reference/unigram.py",
          swap("before is None or candidate > before", "before is None or candidate >= before"),
          read("of equal sums the longer last piece")),
    Fault("user-defined pieces are favoured by characters", "reference/unigram.py",
          swap("count_bytes=True", "count_bytes=False"), read("user-defined pieces are favoured by bytes")),
    Fault("a word ends with its space", "reference/whole_pieces.py",
          swap("            yield text[begin:at]\n            begin = at\n",
               "            yield text[begin : at + 1]\n            begin = at + 1\n"),
          read("words begin at a space")),
    # ---- What is used: the class
    Fault("bos goes in front before the ids are turned round", SHAPED + "tokenizer.py",
          swap("        if options.reverse:\n            result.reverse()\n        if options.add_bos:\n"
               '            result.insert(0, added("bos"))\n',
               '        if options.add_bos:\n            result.insert(0, added("bos"))\n'
               "        if options.reverse:\n            result.reverse()\n"),
          used("unknown pieces side by side are one")),
    Fault("unknown text that spells a control piece is shown as unknown", SHAPED + "tokenizer.py",
          swap("if self.piece_to_id(each) == unk_id else each for each in pieces]",
               "if self.piece_to_id(each) == unk_id or at == unk_id else each for each, at in zip(pieces, one.ids)]"),
          used("unknown that spells a control piece")),
    Fault("every byte piece has the bytes of its character", SHAPED + "results.py",
          swap("if inside and model.kinds[token_id] == BYTE:", "if False:"), used("what is unknown becomes bytes")),
    Fault("the shortest of a char model's user-defined pieces is taken", SHAPED + "whole_pieces.py",
          swap("sorted(known, key=len, reverse=True)", "sorted(known, key=len)"),
          used("characters and user-defined pieces")),
    Fault("a space is taken away from every piece in front", SHAPED + "decoding.py",
          swap("if parts[at] or not rules.remove_extra_whitespaces:", "if parts[at]:"),
          used("one space in front is taken away")),
    Fault("the space stays when a control piece is in front", PIECES,
          swap("        if started or stripped:\n", "        if started or stripped or kind == CONTROL:\n"),
          used("one space in front is taken away")),
    Fault("broken bytes become one U+FFFD", PIECES,
          swap('return "\\ufffd", error.start + 1', 'return "\\ufffd", error.end'),
          used("each bad byte of a text is one U+FFFD")),
    Fault("unknown pieces lose their ▁ when decoded", "reference/piece_surfaces.py",
          swap("            yield surface\n        else:\n", '            yield surface.replace("▁", " ")\n        else:\n'),
          used("unknown has a surface")),
    Fault("decoded text is not denormalised", SHAPED + "decoding.py",
          swap("        if not self.model.denormalizer.charsmap:\n", "        if True:\n"), used("the denormaliser")),
]  # fmt: skip

Runs = dict[str, Future[subprocess.CompletedProcess[str]]]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runs]:
    """Run every fault, and the unharmed copy under "", two at a time."""
    every_test = tuple(dict.fromkeys(test for fault in FAULTS for test in fault.tests))
    with ThreadPoolExecutor(max_workers=2) as pool:
        started = {"": pool.submit(run_in_a_copy, tmp_path_factory.mktemp("unharmed"), every_test)}
        for fault in FAULTS:
            started[fault.name] = pool.submit(run_in_a_copy, tmp_path_factory.mktemp("fault"), fault.tests, fault)
        yield started


def test_the_unharmed_copy_passes(runs: Runs) -> None:
    run = runs[""].result()
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_the_fault_is_found(fault: Fault, runs: Runs) -> None:
    run = runs[fault.name].result()
    # 1 is "a test failed"; anything else would be a copy that could not even be read, which proves nothing.
    assert run.returncode == 1, f"{fault.tests} did not notice:\n{run.stdout}{run.stderr}"


def test_every_fault_has_a_place_of_its_own() -> None:
    assert len(FAULTS) >= 30
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)
    assert len({fault.file for fault in FAULTS}) >= 10
