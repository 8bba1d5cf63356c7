"""The tests can fail: each fault planted in a kernel, a table or a rule is found by the test that is there to find it.

Every fault is planted in a copy of the package, and the tests run there with Numba switched off, so that nothing has to
be compiled again. The unharmed copy proves that the same tests pass. ``fault_driver`` does the work.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from fault_driver import ROOT, Planted, in_two_copies


@dataclass(frozen=True)
class Fault:
    """What is changed in which file of the package, and the tests that must notice."""

    name: str
    file: str
    change: Callable[[bytes], bytes]
    tests: tuple[str, ...]


def swap(old: str, new: str) -> Callable[[bytes], bytes]:
    """Return a change of source code; the old text must stand there exactly once."""

    def change(source: bytes) -> bytes:
        assert source.count(old.encode()) == 1, f"{source.count(old.encode())} places say {old!r}; the fault needs one"
        return source.replace(old.encode(), new.encode())

    return change


def other_class_of_run(number: int) -> Callable[[bytes], bytes]:
    """Return a change of a table of character classes: one of its runs gets another class."""

    def change(packed: bytes) -> bytes:
        runs = bytearray(zlib.decompress(packed))
        # Four bytes a run; the lowest three bits of the first are its class.
        runs[4 * number] ^= 1
        return zlib.compress(bytes(runs))

    return change


def flip_byte_in_the_middle(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]


COUNTING = ("tests/test_counting_twins.py::test_small_counts_and_their_order",)
RUN_ORDERS = ("tests/test_runs_twins.py::test_small_orders",)
RUN_MERGES = ("tests/test_runs_twins.py::test_small_merges_of_any_number[3]",)
PAIR_COUNTS = ("tests/test_pairs_twins.py::test_small_counts_and_their_order",)
PAIR_MERGES = ("tests/test_pairs_twins.py::test_small_merges",)
TRAINING = ("tests/test_training_twins.py::test_small_cases_to_the_last_pair",)
MERGING = ("tests/test_backtracking_twins.py::test_small_all_ways_give_the_ids_of_the_twins[bytes in order-abc]",)
DEAD_ENDS = ("tests/test_backtracking_twins.py::test_small_words_that_lead_into_dead_ends",)
CHARACTERS = ("tests/test_backtracking_twins.py::test_small_tokens_that_reach_into_a_character",)
MERGE_RANKS = ("tests/test_vocabulary_twins.py::test_small_merges_in_any_order",)
WHOLE_WORDS = ("tests/test_vocabulary_twins.py::test_small_a_whole_word_is_no_piece_of_a_longer_one",)
HALF_CUTS = ("tests/test_cuts_twins.py::test_small_tokens_of_half_characters",)
WHOLE_CUTS = ("tests/test_cuts_twins.py::test_small_tokens_of_whole_characters",)
KEYS = ("tests/test_word_cache_twins.py::test_small_keys_tell_all_words_apart",)
ARENA = (
    "tests/test_word_cache_twins.py::test_small_a_text_that_is_written_over_by_one_that_begins_alike",
    "tests/test_word_cache_twins.py::test_small_what_an_earlier_epoch_noted_is_unknown",
    "tests/test_word_cache_twins.py::test_small_caches_that_may_not_grow_begin_their_arena_again",
)
GROWING = ("tests/test_word_cache_twins.py::test_small_caches_grow_and_keep_what_they_know",)
ASIDE = ("tests/test_word_cache_twins.py::test_small_two_places_for_words_that_begin_alike",)
FOUR_IDS = ("tests/test_word_cache_twins.py::test_small_four_ids_fit_only_when_the_last_is_small",)
ENDS = ("tests/test_word_cache_twins.py::test_small_texts_of_many_words_end_anywhere",)
MASKS = ("tests/test_windows.py::test_masks_are_what_a_loop_over_places_says",)
PLACES = ("tests/test_windows.py::test_contractions_and_spaces_at_the_end_of_a_window",)
LEADS = ("tests/test_windows.py::test_bytes_that_lead_letters_lead_nothing_else",)
SCORES = ("tests/test_pieces_twins.py::test_small_scores_decide_and_then_places",)
BORDERS = ("tests/test_pieces_twins.py::test_small_windows_and_their_borders[True]",)


def grid(name: str) -> tuple[str, ...]:
    return (f"tests/test_split_twins.py::test_kernel_and_tiktoken_agree_on_whole_grids[{name}]",)


def pieces_learned(*cases: str) -> tuple[str, ...]:
    return tuple(f"tests/test_piece_training_twins.py::test_small_cases_to_the_last_pair[{case}]" for case in cases)


def of_rule(name: str) -> tuple[str, ...]:
    return (f"tests/test_piece_rules.py::test_small_the_rule_in_the_class[{name}]",)


FAULTS = [
    Fault("the last pair is not counted", "kernels/pairs.py",
          swap("range(ids.size - 1)", "range(ids.size - 2)"), PAIR_COUNTS),
    Fault("what was merged is read again", "kernels/pairs.py",
          swap("at += 2", "at += 1"), PAIR_MERGES),
    Fault("short words are told apart by their first eight bytes alone", "kernels/counting.py",
          swap("if load64(entry) == first and there == second:", "if load64(entry) == first:"), COUNTING),
    Fault("long words are told apart by their hash alone", "kernels/counting.py",
          swap("and _same_bytes(known + 8, begin, length)", ""),
          ("tests/test_counting_twins.py::test_small_equal_hashes_are_not_equal_words",)),
    Fault("a longer table forgets where long words belong", "kernels/counting.py",
          swap("        if second >= _LONG:\n            at = np.int64(load64(entry) & np.uint64(size - 1))\n", ""),
          COUNTING),
    Fault("a word is first seen where its text begins", "kernels/counting.py",
          swap("_note_first(block, begin)", "_note_first(block, loadi64(block + BEGIN))"),
          ("tests/test_counting_twins.py::test_small_places_where_words_are_first_seen",)),
    Fault("words of equal beginnings stay as they come", "kernels/sorting.py",
          swap("return swap64(load64(word))\n    if left <= 0", "return load64(word)\n    if left <= 0"), RUN_ORDERS),
    Fault("the last of the first places stays", "kernels/merging_runs.py",
          swap("min(first, loadi64(firsts", "max(first, loadi64(firsts"), RUN_MERGES),
    Fault("a word shares with the one before only eight bytes", "kernels/runs.py",
          swap("        at += 8\n    return most\n", "        return at + 8\n    return most\n"),
          ("tests/test_runs_twins.py::test_small_blocks[prefixes of one another]",)),
    Fault("a text may be cut between two letters", "corpus/blocks.py",
          swap("(?=[\\\\s.,;:", "(?=[s\\\\s.,;:"),
          ("tests/test_counting_twins.py::test_cuts_change_no_word[o200k_base]",)),
    Fault("ties go to the smallest bytes", "kernels/training_heap.py",
          swap("return x > y", "return x < y"), TRAINING),
    Fault("ties go to the pair seen last", "kernels/training_heap.py",
          swap("return tie < other", "return tie > other"), TRAINING),
    Fault("what lies far from its word's count counts for another word", "kernels/training.py",
          swap("if back[at] == FAR:", "if back[at] > FAR:"),
          ("tests/test_training_twins.py::test_small_words_longer_than_a_byte_can_count",)),
    Fault("the threshold never goes down to the rarest pairs", "kernels/training.py",
          swap("if threshold <= count < old:", "if threshold < count < old:"), TRAINING),
    Fault("going on, a pair counts once for each word", "kernels/training_again.py",
          swap("slots[2 * s] += weight", "slots[2 * s] += 1"),
          ("tests/test_merging_checkpoint.py::test_small_words_go_on_in_the_middle",)),
    Fault("the readable heap throws outdated entries away", "reference/incremental_training.py",
          swap("heapq.heapreplace(heap, true)", "heapq.heappop(heap)"),
          ("tests/test_incremental_training_twins.py::test_small_cases_to_the_last_pair",)),
    Fault("the left neighbour keeps what it became before", "kernels/merging.py",
          swap("        machine.store32(values + 4 * left, value << PLACE_BITS | left)\n", ""), MERGING),
    Fault("long words merge the highest rank first", "kernels/merging.py",
          swap("machine.loadi64(heap + 8 * child + 8) < machine.loadi64(heap + 8 * child)",
               "machine.loadi64(heap + 8 * child + 8) > machine.loadi64(heap + 8 * child)"), MERGING),
    Fault("a merge whose pair is gone still happens", "kernels/merging.py",
          swap(" or pair_value(block, number, machine.loadi64(numbers + 8 * gone)) != value:", ":"), MERGING),
    Fault("a character is one symbol although a token ends inside of it", "kernels/merging.py",
          swap("            if at + size < end:\n", "            if at + size < begin:\n"), CHARACTERS),
    Fault("a token becomes as old as any before it", "tables/vocabulary_tables.py",
          swap("(lefts < made) & (rights < made)", "(lefts != made) & (rights != made)"),
          ("tests/test_backtracking_twins.py::test_small_a_token_that_is_older_than_its_parts",)),
    Fault("the rank of a pair is taken for what it makes", "kernels/merging.py",
          swap("machine.load32(made_by + 4 * value) if made_by != 0 else value", "value"), MERGE_RANKS),
    Fault("a word that no merge makes is a piece as well", "kernels/encoding.py",
          swap("            number = -1\n            keyed = False\n", ""), WHOLE_WORDS),
    Fault("a piece is remembered as the word of the same bytes", "kernels/encoding.py",
          swap("            number = -1\n            keyed = False\n", "            number = -1\n"), WHOLE_WORDS),
    Fault("a word is remembered as the piece of the same bytes", "kernels/encoding.py",
          swap("        if number < machine.loadi64(block + layout.WHOLE_ONLY):\n", "        if True:\n"),
          WHOLE_WORDS),
    Fault("a character that comes about late is a symbol", "tables/vocabulary_tables.py",
          swap("block[layout.CHARACTERS] = 0\n            del tables.block.kept[layout.CHARACTERS]\n",
               "block[layout.CHARACTERS] += 0\n"),
          ("tests/test_vocabulary_twins.py::test_small_a_character_that_comes_about_late_is_no_symbol",)),
    Fault("merges are preferred from the last to the first", "tables/vocabulary_tables.py",
          swap("ranks = np.arange(count, dtype=np.uint32)[::-1]", "ranks = np.arange(count, dtype=np.uint32)"),
          MERGE_RANKS),
    Fault("tokens that do not fit are taken", "kernels/backtracking.py",
          swap("if fits and number > 0:", "if fits and number > 1:"), MERGING + DEAD_ENDS),
    Fault("half characters forbid no cut", "kernels/cuts.py",
          swap(" and not is_set(cut_bytes, pair)", ""), HALF_CUTS),
    Fault("whole characters forbid no cut", "kernels/cuts.py",
          swap("not is_set(cuts, _bit_of(code, next_code)) and ", ""), WHOLE_CUTS),
    Fault("words are told apart by their first eight bytes alone", "kernels/encoding.py",
          swap("(machine.load64(place) ^ first) | (machine.load64(place + 8) ^ second) == NOTHING",
               "machine.load64(place) ^ first == NOTHING"), KEYS),
    Fault("the end of a text is copied without its last byte", "kernels/encoding.py",
          swap("for k in range(rest):", "for k in range(rest - 1):"), ENDS),
    Fault("long words of an earlier epoch are known", "kernels/encoding.py",
          swap("machine.load64(entry) != mixed or machine.loadi64(entry + 24) != machine.loadi64(block + layout.EPOCH)",
               "machine.load64(entry) != mixed"), ARENA),
    Fault("short words of an earlier epoch are known", "kernels/word_cache.py",
          swap("sizes >> 8 != machine.loadi64(block + layout.EPOCH)", "sizes >> 8 < 0"), ARENA),
    Fault("beside its place a word is known by its first eight bytes", "kernels/word_cache.py",
          swap("if machine.load64(aside) == first and machine.load64(aside + 8) == second:",
               "if machine.load64(aside) == first:"), ASIDE),
    Fault("what is set aside leaves its ids behind", "kernels/word_cache.py",
          swap("    machine.copy16((place ^ ENTRY) + 16, place + 16)\n", ""), KEYS + GROWING),
    Fault("four ids are stored where the last has no room", "kernels/word_cache.py",
          swap("count > HELD or (count == HELD and machine.load32(begin + 12) >> LAST_ID_BITS != 0)",
               "count > HELD"), FOUR_IDS),
    Fault("a larger cache is half filled", "kernels/word_cache.py",
          swap("            machine.copy16(place + 16, source + 16)\n", ""), GROWING),
    Fault("keys hold what stands behind the word", "kernels/tables.py",
          swap("return first & low_bytes(length), second", "return first, second"), FOUR_IDS),
    Fault("two bytes are looked up in the wrong order", "kernels/tables.py",
          swap("answers + 4 * (first << 8 | second)", "answers + 4 * (second << 8 | first)"), MERGING),
    Fault("pairs are found only where they should lie", "kernels/tables.py",
          swap("            return np.int64(entry & MADE_MASK)\n        slot = (slot + ONE) & mask",
               "            return np.int64(entry & MADE_MASK)\n        return NOTHING_MADE"), MERGING),
    Fault("a run of numbers is cut once", "kernels/windows.py",
          swap("step = step << THREE & fourth", "step = step << THREE & fourth & begins"), MASKS),
    Fault("other characters lead letters too", "kernels/windows.py",
          swap("    two = machine.byte_mask(at, 0, 0xC4, 6)", "    two = machine.byte_mask(at, 0, 0xC3, 7)"), LEADS),
    Fault("a contraction is sought beyond the window", "kernels/windows.py",
          swap("        if place + 3 > size and not whole:\n", "        if place + 1 > size and not whole:\n"), PLACES),
    Fault("a blank between line breaks begins a word", "kernels/windows.py",
          swap("behind &= ~(ONE << np.uint64(place))", "behind &= ~ZERO"), grid("white space-cl100k")),
    Fault("white space at the edge of a window is certain", "kernels/windows.py",
          swap("    if not whole or all_whole:\n        behind &= ~edge\n", ""), grid("white space-cl100k")),
    Fault("'ll is no contraction", "kernels/windows.py",
          swap("(first == 0x6C and second == 0x6C)", "(first == 0x6C and second == 0x6D)"), grid("contractions-gpt2")),
    Fault("the long s is no s", "kernels/split.py",
          swap("machine.load8(at + 2) == 0xBF else 0", "machine.load8(at + 2) == 0xBE else 0"),
          grid("contractions-cl100k")),
    Fault("numbers are cut after two digits", "kernels/split.py",
          swap("for _ in range(2):", "for _ in range(1):"), grid("numbers-cl100k")),
    Fault("white space keeps its last blank", "kernels/split.py",
          swap("if at < end and last > begin:", "if at < end and last > end:"), grid("numbers-gpt2")),
    Fault("equal scores are told apart by their number", "kernels/pieces.py",
          swap("value = machine.load32(machine.loadi64(block + layout.RANKS) + 4 * made) << PLACE_BITS | place",
               "value = made << PLACE_BITS | place"), SCORES),
    Fault("segments never merge their last pair", "kernels/pieces.py",
          swap("for k in range(1, number):\n", "for k in range(1, number - 1):\n"), SCORES),
    Fault("a cut looks at the wrong side", "packing_pieces.py",
          swap("cuts[kind[1:][inner], kind[:-1][inner]] = 0", "cuts[kind[:-1][inner], kind[1:][inner]] = 0"), BORDERS),
    Fault("unknown pieces side by side stay two", "kernels/documents.py",
          swap("if token_id == unknown and before == unknown:", "if token_id == unknown and before == -2:"),
          of_rule("unknown pieces side by side are one")),
    Fault("a window ends inside of a character", "kernels/normalize.py",
          swap("while at + quiet < end and machine.load8(at + quiet) & 0xC0 == 0x80:", "while False:"), BORDERS),
    Fault("a second space behind a window is kept", "kernels/normalize.py",
          swap("space & (space << ONE | np.uint64(after_space))", "space & (space << ONE)"), BORDERS),
    Fault("equally common pairs: the greater text wins", "kernels/piece_heap.py",
          swap("return codes[a + k] < codes[b + k]", "return codes[a + k] > codes[b + k]"),
          pieces_learned("only ties-default")),
    Fault("equally common pairs: the longer wins", "kernels/piece_heap.py",
          swap("return length < other >> 32", "return length > other >> 32"),
          pieces_learned("low lower newest-default")),
    Fault("an accent has no script, and what follows it may have any", "kernels/piece_training.py",
          swap("            kind = script\n", "            kind = np.uint8(KIND_ANY)\n"),
          pieces_learned("scripts-default")),
    Fault("pairs that are gone are no pieces", "kernels/piece_training.py",
          swap("if state[THRESHOLD] == 0:", "if state[THRESHOLD] <= 1:"), pieces_learned("low lower newest-default")),
    Fault("what lies far from its count counts for another word of pieces", "kernels/piece_training.py",
          swap("if back[at] == FAR:", "if back[at] > FAR:"), pieces_learned("far from its count-default")),
    Fault("a piece may begin with a space that ends a word", "kernels/piece_training.py",
          swap("(rules[BY_SPACE] != 0 or k == 0)", "rules[BY_SPACE] != 0"),
          pieces_learned("spaces-not split, suffix")),
    Fault("runs of spaces are cut", "kernels/piece_corpus.py",
          swap("if here and not (runs and there):", "if here:"),
          ("tests/test_piece_training_twins.py::test_small_texts_have_the_same_words",)),
    Fault("a reserved piece is hidden only where no letter is before it", "kernels/piece_corpus.py",
          swap("byte = BORDER if length > 0 else byte", "byte = BORDER if length > 0 and out == first else byte"),
          ("tests/test_piece_training_twins.py::test_small_texts_have_the_same_words",)),
    Fault("the first merge has the score 0.0", "trainers/piece_training.py",
          swap("_piece_message(piece, -float(rank), NORMAL)", "_piece_message(piece, 0.0 - rank, NORMAL)"),
          ("tests/test_piece_training.py::test_options_that_learners_meet[{}]",)),
    Fault("one run of characters has another script", "text/data/scripts-sentencepiece.zlib", other_class_of_run(1),
          ("tests/test_unicode_scripts.py::test_what_is_known_of_unicode_9",)),
    Fault("far sums are never set back", "kernels/unigram_search.py",
          swap("if abs(here) > FARTHEST_SUM and not old:", "if False:"), of_rule("far sums are set back")),
    Fault("a long piece makes a character known", "kernels/unigram_search.py",
          swap("alone |= place - at == size", "alone |= place - at >= size"),
          of_rule("unknown is ten below the lowest")),
    Fault("of equal sums the last found wins", "kernels/unigram_search.py",
          swap("== NOTHING or candidate > best:", "== NOTHING or candidate >= best:"),
          of_rule("of equal sums the longer last piece")),
    Fault("the soft hyphen counts as printable", "text/byte_alphabet.py",
          swap("range(0xA1, 0xAD), *range(0xAE, 0x100)", "range(0xA1, 0xAE), *range(0xAE, 0x100)"),
          ("tests/test_byte_alphabet.py::test_the_characters_are_those_of_hugging_face",)),
    Fault("GPT-4's numbers have two digits", "text/patterns.py",
          swap(r"\p{N}{1,3}+|", r"\p{N}{1,2}+|"),
          ("tests/test_patterns.py::test_named_patterns_are_those_of_the_installed_tiktoken",)),
    Fault("one run of characters has another class", "text/data/classes-tiktoken.zlib", other_class_of_run(100),
          ("tests/test_unicode_tables.py::test_every_code_point_has_the_class_that_the_installed_engine_gives_it",)),
    Fault("one bit of GPT-2's merges is wrong", "vocabularies/data/r50k.merges", flip_byte_in_the_middle,
          ("tests/test_vocabularies.py::test_gpt2_has_two_files_and_no_third",
           "tests/test_vocabularies.py::test_every_published_file_is_rebuilt_to_its_hash")),
    Fault("the shorter special token wins", "text/special_places.py",
          swap("sorted(found, reverse=True)", "sorted(found)"),
          ("tests/test_special_tokens.py::test_leftmost_then_longest",)),
]  # fmt: skip


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str]]:
    """Run every fault, and the unharmed copy under ""."""
    planted = [Planted("", b"", tuple(dict.fromkeys(test for fault in FAULTS for test in fault.tests)))]
    for fault in FAULTS:
        source = (ROOT / "minbpe_course" / fault.file).read_bytes()
        planted.append(Planted(fault.file, fault.change(source), fault.tests))
    folders = [tmp_path_factory.mktemp("faults") for _ in range(2)]
    return dict(zip(["", *(fault.name for fault in FAULTS)], in_two_copies(folders, planted, NUMBA_DISABLE_JIT="1")))


def test_the_unharmed_copy_passes(runs: dict[str, tuple[int, str]]) -> None:
    code, said = runs[""]
    assert code == 0, said


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_the_fault_is_found(fault: Fault, runs: dict[str, tuple[int, str]]) -> None:
    code, said = runs[fault.name]
    # 1 is "a test failed"; anything else would be a copy that could not even be read, which proves nothing.
    assert code == 1, f"{fault.tests} did not notice:\n{said}"


def test_the_faults_are_spread_over_the_engine() -> None:
    assert len(FAULTS) >= 10
    harmed = {fault.file.partition("/")[2] for fault in FAULTS if fault.file.startswith("kernels/")}
    assert {
        "pairs.py",
        "counting.py",
        "training.py",
        "training_heap.py",
        "tables.py",
        "merging.py",
        "backtracking.py",
        "cuts.py",
        "word_cache.py",
        "encoding.py",
        "windows.py",
        "split.py",
        "pieces.py",
        "piece_corpus.py",
        "piece_heap.py",
        "piece_training.py",
    } <= harmed
