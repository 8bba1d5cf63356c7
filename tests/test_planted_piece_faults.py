"""The SentencePiece tests can fail: each mistake that a rebuild of SentencePiece is known to make, made on purpose.

As in ``test_planted_faults``, which has the faults of the BPE kernels: every fault is planted in a copy of the package,
and the rule that it breaks must notice. Here none is in a kernel, so ``fault_driver`` runs them all in two processes.
A new fault is a line of the table.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from fault_driver import ROOT, Planted, in_two_copies


@dataclass(frozen=True)
class Fault:
    """What stands in which file of the package, once, what it is changed to, and the tests that must notice."""

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]


def read(*rules: str) -> tuple[str, ...]:
    return tuple(f"tests/test_piece_rules.py::test_small_the_rule_when_read[{rule}]" for rule in rules)


def used(*rules: str) -> tuple[str, ...]:
    return tuple(f"tests/test_piece_rules.py::test_small_the_rule_in_the_class[{rule}]" for rule in rules)


def loaded(*names: str) -> tuple[str, ...]:
    return tuple(f"tests/test_sentencepiece_wire.py::test_what_sentencepiece_loads_is_loaded[{name}]" for name in names)


def refused(*names: str) -> tuple[str, ...]:
    test = "tests/test_sentencepiece_wire.py::test_what_sentencepiece_refuses_is_refused"
    return tuple(f"{test}[{name}]" for name in names)


def edited(name: str) -> tuple[str, ...]:
    return (f"tests/test_sentencepiece_editing.py::{name}",)


FILE, FIELDS, RULES, RECORD = (
    "formats/sentencepiece_proto.py", "formats/protobuf_fields.py", "model/piece_rules.py", "model/pieces.py",
)  # fmt: skip
PIECES, TEXT, SHAPED = "reference/pieces.py", "text/normalize.py", "tokenizers/sentencepiece_shaped/"

FAULTS = [
    # ---- What is read: BPE
    Fault("of equal scores the rightmost merges", PIECES,
          "(-score_order(self.scores[self.mergeable[joined]]), left, right, joined)",
          "(-score_order(self.scores[self.mergeable[joined]]) * 4096 - left, left, right, joined)",
          read("of equal scores the leftmost merges")),
    Fault("-0.0 is 0.0", PIECES, "-(bits & 0x7FFFFFFF) - 1", "-(bits & 0x7FFFFFFF)", read("-0.0 is below 0.0")),
    Fault("all occurrences merge at once", PIECES,
          "        symbols[best : best + 2] = [Symbol(symbols[best].text + symbols[best + 1].text)]\n",
          "        pair = symbols[best], symbols[best + 1]\n"
          "        for at in range(len(symbols) - 2, -1, -1):\n"
          "            if tuple(symbols[at : at + 2]) == pair and (at - best) % 2 == 0:\n"
          "                symbols[at : at + 2] = [Symbol(pair[0].text + pair[1].text)]\n",
          read("one merge at a time")),
    Fault("user-defined pieces merge", PIECES, "frozen=length > 0", "frozen=False",
          read("user-defined pieces are frozen")),
    Fault("unused pieces never merge", PIECES,
          "        if joined in self.mergeable:\n", "        if joined in self.mergeable and len(joined) > 2:\n",
          read("unused pieces merge and fall apart")),
    Fault("unused pieces come out", PIECES,
          "return at if at >= 0 and model.kinds[at] != UNUSED else -1", "return at",
          read("unused pieces merge and fall apart")),
    Fault("unknown pieces side by side stay apart", PIECES,
          "elif tokens and tokens[-1].id == model.unk_id:", "elif False:",
          read("unknown pieces side by side are one")),
    Fault("bytes have one hex digit where one is enough", PIECES,
          'Token(model.byte_ids[byte], f"<0x{byte:02X}>", part)', 'Token(model.byte_ids[byte], f"<0x{byte:X}>", part)',
          read("what is unknown becomes bytes")),
    Fault("control pieces come out of text", "model/piece_rules.py",
          "WRITTEN_KINDS = (NORMAL, USER_DEFINED, UNUSED)", "WRITTEN_KINDS = (NORMAL, USER_DEFINED, UNUSED, CONTROL)",
          read("control pieces are no text")),
    Fault("scores of the packed table are not told apart by sign", "packing_pieces.py",
          "np.where(bits >= 0, bits, -(bits & 0x7FFFFFFF) - 1)", "np.where(bits >= 0, bits, -(bits & 0x7FFFFFFF))",
          used("-0.0 is below 0.0")),
    Fault("user-defined pieces are not cut out", SHAPED + "piece_symbols.py",
          "        for piece in model.user_defined\n", "        for piece in ()\n",
          used("user-defined pieces are frozen", "the longest user-defined piece")),
    # ---- What is read: the normaliser
    Fault("the first user-defined piece is taken", TEXT,
          "                if nested == MOST_NESTED_PIECES:\n", "                if nested == 1:\n",
          read("the longest user-defined piece")),
    Fault("any number of nested pieces is looked at", TEXT, "MOST_NESTED_PIECES = 64", "MOST_NESTED_PIECES = 640",
          read("no more than 64 nested")),
    Fault("no space is put in front", TEXT,
          "if add_dummy_prefix and not treat_whitespace_as_suffix:", "if False:", read("a space in front")),
    Fault("the space is put in front although it belongs behind", TEXT,
          "if add_dummy_prefix and not treat_whitespace_as_suffix:", "if add_dummy_prefix:",
          read("a space behind")),
    Fault("user-defined pieces are not looked for in the raw text", TEXT,
          "copied = user_defined.length(text, at)", "copied = 0", read("user-defined pieces on the raw text")),
    Fault("the shortest rule is applied", TEXT, "return nested[-1] if nested", "return nested[0] if nested",
          read("rules of the model's own table")),
    Fault("a surrogate in UTF-8 is a character", TEXT,
          'text[at : at + length].decode("utf-8")', 'text[at : at + length].decode("utf-8", "surrogatepass")',
          read("a bad byte is one U+FFFD")),
    Fault("spaces behind are kept", TEXT,
          "while remove_extra_whitespaces and out.endswith(space):", "while False:", read("spaces are removed")),
    Fault("spaces in front are kept", TEXT,
          "after_space = remove_extra_whitespaces\n", "after_space = False\n",
          read("rules of the model's own table")),
    Fault("an empty replacement ends a run of spaces", TEXT,
          "if output and remove_extra_whitespaces:", "if remove_extra_whitespaces:",
          read("spaces are removed", "a rule that gives nothing")),
    # ---- What is read: Unigram, words
    Fault("unknown is eleven below the lowest", "reference/lattice.py",
          "UNKNOWN_PENALTY = 10.0", "UNKNOWN_PENALTY = 11.0", read("unknown is ten below the lowest")),
    Fault("unused pieces count for the lowest", "reference/lattice.py",
          "if kind == NORMAL]", "if kind in (NORMAL, UNUSED)]", read("unknown is ten below the lowest")),
    Fault("sums are made in double precision", "reference/lattice.py",
          "return c_float(number).value", "return number", read("sums are float32")),
    Fault("far sums are never set back", "reference/unigram.py",
          "FARTHEST_SUM = 100_000.0", "FARTHEST_SUM = 1e30", read("far sums are set back")),
    Fault("of equal sums the last found wins", "reference/unigram.py",
          "before is None or candidate > before", "before is None or candidate >= before",
          read("of equal sums the longer last piece")),
    Fault("user-defined pieces are favoured by characters", "reference/unigram.py",
          "count_bytes=True", "count_bytes=False", read("user-defined pieces are favoured by bytes")),
    Fault("a word ends with its space", "reference/whole_pieces.py",
          "            yield text[begin:at]\n            begin = at\n",
          "            yield text[begin : at + 1]\n            begin = at + 1\n",
          read("words begin at a space")),
    # ---- What is used: the class
    Fault("bos goes in front before the ids are turned round", SHAPED + "tokenizer.py",
          "        if options.reverse:\n            result.reverse()\n        if options.add_bos:\n"
          '            result.insert(0, added("bos"))\n',
          '        if options.add_bos:\n            result.insert(0, added("bos"))\n'
          "        if options.reverse:\n            result.reverse()\n",
          used("unknown pieces side by side are one")),
    Fault("unknown text that spells a control piece is shown as unknown", SHAPED + "tokenizer.py",
          "if self.piece_to_id(each) == unk_id else each for each in pieces]",
          "if self.piece_to_id(each) == unk_id or at == unk_id else each for each, at in zip(pieces, one.ids)]",
          used("unknown that spells a control piece")),
    Fault("every byte piece has the bytes of its character", SHAPED + "results.py",
          "if inside and model.kinds[token_id] == BYTE:", "if False:", used("what is unknown becomes bytes")),
    Fault("the shortest of a char model's user-defined pieces is taken", SHAPED + "whole_pieces.py",
          "sorted(known, key=len, reverse=True)", "sorted(known, key=len)",
          used("characters and user-defined pieces")),
    Fault("a space is taken away from every piece in front", SHAPED + "decoding.py",
          "return text[1:] if strip else text", 'return text.lstrip(" ") if strip else text',
          used("one space in front is taken away")),
    Fault("the space stays when a control piece is in front", PIECES,
          "        if started or stripped:\n", "        if started or stripped or kind == CONTROL:\n",
          used("one space in front is taken away")),
    Fault("broken bytes become one U+FFFD", PIECES,
          'return "\\ufffd", error.start + 1', 'return "\\ufffd", error.end',
          used("each bad byte of a text is one U+FFFD")),
    Fault("unknown pieces lose their ▁ when decoded", "reference/piece_surfaces.py",
          "            yield surface\n        else:\n", '            yield surface.replace("▁", " ")\n        else:\n',
          used("unknown has a surface")),
    Fault("decoded text is not denormalised", SHAPED + "decoding.py",
          "        if not self.model.denormalizer.charsmap:\n", "        if True:\n", used("the denormaliser")),
    # ---- Files
    Fault("an unknown kind of piece is taken at its word", FILE,
          "field.kind == VARINT and _enum(field.value) in KIND_NAMES", "field.kind == VARINT",
          loaded("an unknown kind of piece")),
    Fault("a number of 33 bits is another kind", FILE, "return value & 0xFFFFFFFF", "return value",
          loaded("a type written with 33 bits", "a piece of 33 bits' kind")),
    Fault("of an option that is there twice the first counts", FILE,
          "                spec[field.number] = field.value\n",
          "                spec.setdefault(field.number, field.value)\n",
          loaded("options in two messages", "the same option twice")),
    Fault("any group may end any group", FIELDS, "if open_groups.pop() != inner:", "if open_groups.pop() is None:",
          refused("a group that ends as another")),
    Fault("groups may lie deeper", FIELDS, "DEEPEST = 100", "DEEPEST = 101",
          refused("a hundred and one groups", "a hundred groups in the options")),
    Fault("a message may end outside of the one that it is in", FIELDS,
          "    if size > end - value_at:\n", "    if size > len(data) - value_at:\n",
          refused("a length that ends outside of its message")),
    Fault("a NUL beside bytes is an ordinary piece", RECORD,
          "if self.byte_fallback and NUL in self.pieces and self.pipeline is None:", "if False:",
          loaded("a NUL beside bytes", "a NUL that is the unknown piece")),
    Fault("there is one list of pieces for every type", RULES,
          'list_of = model_type != "bpe" and', "list_of = False and", loaded("Unigram: a text on both lists")),
    Fault("a piece may be twice in a BPE model", RULES, 'list_of = model_type != "bpe" and', "list_of = ",
          refused("BPE: a text on both lists")),
    Fault("only pieces of text need a finite score", RULES,
          "        if not math.isfinite(score):\n", "        if not math.isfinite(score) and kinds[at] == NORMAL:\n",
          refused("Unigram: no number, even of a control piece")),
    Fault("-0.0 and 0.0 are the same record", RECORD,
          "np.array(self.scores, dtype=np.float32).tobytes()", "self.scores",
          edited("test_minus_zero_is_a_change_and_nan_is_none")),
    Fault("the size that the options tell stays behind", FILE,
          "if old and len(old) != len(model) and", "if False and", edited("test_the_recipe_for_special_symbols")),
    Fault("new pieces go in front", FILE,
          "out += pieces[at:] if at == last else pieces[at : at + 1]",
          "out += pieces[:1:-1] if at == last else pieces[at : at + 1]",
          edited("test_random_changes[bpe]")),
    Fault("a changed field is written behind its message", FIELDS,
          "                parts[place] = parts[place][: found[-1].begin] + wanted + parts[place][found[-1].end :]\n",
          "                parts[place] += wanted\n",
          edited("test_only_the_changed_piece_changes_in_the_file")),
    Fault("a replacement may lie outside of the strings", TEXT,
          "or (wide[~is_node] & 0x7FFFFFFF >= strings_size).any()", "",
          ("tests/test_sentencepiece_mutants.py::test_a_table_that_leads_outside_is_refused",)),
    Fault("a node may lie outside of the trie", TEXT, "if outside.any() or", "if",
          ("tests/test_sentencepiece_mutants.py::test_a_table_that_leads_outside_is_refused",)),
]  # fmt: skip


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str]]:
    """Run every fault, and the unharmed copy under ""."""
    planted = [Planted("", b"", tuple(dict.fromkeys(test for fault in FAULTS for test in fault.tests)))]
    for fault in FAULTS:
        source = (ROOT / "minbpe_course" / fault.file).read_bytes()
        planted.append(Planted(fault.file, source.replace(fault.old.encode(), fault.new.encode()), fault.tests))
    folders = [tmp_path_factory.mktemp("faults") for _ in range(2)]
    return dict(zip(["", *(fault.name for fault in FAULTS)], in_two_copies(folders, planted)))


def test_the_unharmed_copy_passes(runs: dict[str, tuple[int, str]]) -> None:
    code, said = runs[""]
    assert code == 0, said


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_the_fault_is_found(fault: Fault, runs: dict[str, tuple[int, str]]) -> None:
    code, said = runs[fault.name]
    # 1 is "a test failed"; anything else would be a copy that could not even be read, which proves nothing.
    assert code == 1, f"{fault.tests} did not notice:\n{said}"
    assert any(sign in said for sign in ("AssertionError", "Difference", "Failed", "Error", "minbpe_course.errors."))


def test_every_fault_can_be_planted() -> None:
    assert len(FAULTS) >= 30
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)
    for fault in FAULTS:
        source = (ROOT / "minbpe_course" / fault.file).read_text(encoding="utf-8")
        assert source.count(fault.old) == 1, f"{fault.name}: {source.count(fault.old)} places say {fault.old!r}"
        assert not fault.file.startswith("kernels/"), "a fault in a kernel goes into test_planted_faults"
