"""The exercises of lesson 08: encoding fast, and back again while ids arrive.

    cache_hits, WordCache         what a cache answers, and which word has to go
    token_offsets, certain_text   from bytes back to characters
    stays_apart, test_encode      may two tokens stand side by side? does an encoder merge as it should?
    heal                          the end of a prompt

Cases and known wrong answers stand in ``caches``, ``encoders``, ``neighbours`` and ``streams``.
"""

from __future__ import annotations

from collections import Counter

from minbpe_course.checks.exercise import Case, Exercise, Mistake
from minbpe_course.checks.lesson_08 import caches, encoders, neighbours, streams

_URL = [b"h", b"t", b"p", b"http", b"https", b":", b"://"]

EXERCISES = (
    Exercise(
        key="08.cache_hits",
        title="What a cache answers",
        kind="fill",
        entry="cache_hits",
        difficulty=1,
        minutes=5,
        points=1,
        hints=(
            "The cache answers a word every time it comes. Which words are in it, and how often do they come?",
            "add up the counts of the `size` commonest words; `most_common(size)` gives pairs of a word and its count",
            "Lesson 08, section 4: `covered`, what the commonest words cover.",
        ),
        wanted=caches.cache_hits,
        shown=(
            Case("a cache for some of the words", (["b", "a", "b", "c"], 1)),
            Case("a cache for some of the words", (["a", "b", "b", "c", "c", "c"], 2)),
            Case("a cache for all words", (["a", "b"], 5)),
        ),
        drawn=caches.hit_cases,
        mistakes=(
            Mistake(
                "different-words",
                "That is how many words the cache holds. It answers each of them as often as it comes.",
                like=lambda words, size: min(size, len(set(words))),
            ),
            Mistake(
                "starts-empty",
                "This cache is filled before anybody reads the text, so it answers a word the first time, too.",
                like=lambda words, size: sum(n - 1 for _, n in Counter(words).most_common(size)),
            ),
            Mistake(
                "any-words",
                "Those are the words that come *first*. The cache holds the commonest.",
                like=lambda words, size: sum([*Counter(words).values()][:size]),
            ),
            Mistake(
                "the-others",
                "Those are the words that the cache does not answer.",
                like=lambda words, size: len(words) - caches.cache_hits(words, size),
            ),
        ),
    ),
    Exercise(
        key="08.token_offsets",
        title="Offsets that drift",
        kind="repair",
        entry="token_offsets",
        difficulty=2,
        minutes=15,
        points=2,
        hints=(
            "How many characters does the function count in `♞`, if it comes in two tokens? Where does the error "
            "begin, and does it ever stop?",
            "keep how many characters have begun; a token that begins with a byte from 0x80 to 0xBF is inside the last "
            "one of them; every other byte begins a character",
            "Lesson 08, section 7: the picture. Lesson 01: which bytes begin a character.",
        ),
        wanted=streams.token_offsets,
        planted=streams.drifting_offsets,
        shown=(
            Case("tokens of whole characters", ([b"ab", b"c"],)),
            Case("tokens that begin inside a character", ([b"a", b"\xe2\x99", b"\x9e", b"b"],)),
        ),
        drawn=streams.offset_cases,
        mistakes=(
            Mistake("bytes", "These count bytes. Python's texts count characters.", like=streams.offsets_in_bytes),
            Mistake(
                "next-character",
                "A token that begins inside a character belongs to that character, not to the next.",
                like=streams.offsets_of_the_next,
            ),
            Mistake(
                "broken-left-out",
                "Now a character that is spread over tokens is counted in none of them.",
                like=streams.offsets_without_broken,
            ),
        ),
    ),
    Exercise(
        key="08.certain_text",
        title="What is certain by now",
        kind="write",
        entry="certain_text",
        difficulty=3,
        minutes=20,
        points=3,
        hints=(
            "Only the last three bytes can be in doubt. When is an end of one, two or three bytes worth waiting for?",
            "an end may become a character if one to three bytes can be put behind it so that all of it decodes to one "
            "character; the longest such end waits, all before it is decoded with errors='replace'",
            "Lesson 08, section 6: what must be held back, and what not. Lesson 01 lists the bytes that begin nothing.",
        ),
        wanted=streams.certain_text,
        shown=(
            Case(streams.WHOLE, ("aé".encode(),)),
            Case(streams.CUT, (b"a\xe2\x99",)),
            Case(streams.BROKEN, (b"\x99a",)),
            Case(streams.NO_BEGINNING, (b"a\xff",)),
        ),
        drawn=streams.data_cases,
        mistakes=(
            Mistake(
                "one-byte",
                "Up to three bytes of a character may be there already, not only its first.",
                like=streams.looks_at_one_byte,
            ),
            Mistake(
                "never-waits",
                "This shows a broken character where a whole one is on its way.",
                like=streams.never_waits,
            ),
            Mistake(
                "waits-in-vain",
                "Not every byte above 0xC0 begins a character, and not every second byte may follow it. What can never "
                "become a character must not wait.",
                like=streams.waits_for_any_lead,
            ),
            Mistake(
                "stops-at-broken",
                "Broken bytes in the middle become U+FFFD at once, and the text behind them goes on.",
                like=streams.waits_for_whatever_is_broken,
            ),
            Mistake(
                "drops",
                "Broken bytes are not left out: a U+FFFD shows that something was there.",
                like=streams.drops_broken_bytes,
            ),
            Mistake(
                "strict",
                "Models say broken bytes now and then. Decode with errors='replace'.",
                when=streams.raised_on_bytes,
            ),
        ),
        avoid=("codecs",),
    ),
    Exercise(
        key="08.stays_apart",
        title="May these two stand side by side?",
        kind="match",
        entry="stays_apart",
        difficulty=4,
        minutes=25,
        points=4,
        hints=(
            "Undo the later of the two last merges, and look at the border again. Which merges across it count then?",
            "before = infinity; while the two at the border have no merge below `before`: undo the larger id that is a "
            "merge (of equal ones the right one); the left token leaves its right half, the right token its left half; "
            "`before` becomes the id undone (one more on the right). Nothing left to undo: True",
            "Lesson 08, section 3: `fit`, and the picture of ` rain` and `ed`. Or encode the bytes of both, as lesson "
            "02 does, and compare.",
        ),
        wanted=neighbours.stays_apart,
        shown=(
            Case(neighbours.BYTES, (97, 98, {})),
            Case(neighbours.DIRECT, (97, 98, {(97, 98): 256})),
            Case(neighbours.LATE, (256, 98, {(97, 97): 256, (97, 98): 257})),
            Case(neighbours.DUE, (97, 257, {(97, 97): 256, (97, 98): 257})),
        ),
        drawn=neighbours.pair_cases,
        mistakes=(
            Mistake(
                "equal-merges",
                "The same merge is possible across the border and inside the right token. Which lies further left?",
                like=neighbours.equal_is_later,
            ),
            Mistake(
                "left-first",
                "Time runs backwards for both tokens at once: the *later* of their merges is undone first.",
                like=neighbours.undoes_the_left_first,
            ),
            Mistake(
                "no-time",
                "There is a merge across the border, but it was learned too late: by then both tokens were complete.",
                like=neighbours.forgets_when,
            ),
            Mistake(
                "only-the-two",
                "These two have no merge, but their halves at the border may have had one, earlier.",
                like=neighbours.looks_only_at_the_two,
            ),
        ),
    ),
    Exercise(
        key="08.test_encode",
        title="Fast and wrong",
        kind="test",
        entry="test_encode",
        difficulty=4,
        minutes=20,
        points=3,
        hints=(
            "A fast encoder is wrong on few words. Do not look for the right few: take all words of two letters up to "
            "some length, and some long ones.",
            "write the slow encoder of lesson 02 inside the test; for every vocabulary, as it is and with its dict "
            "turned round, and for every word: assert that both give the same ids",
            "Lesson 08, sections 1 to 4: each wrong encoder there, and each shortcut of a cache, is one of the ten.",
        ),
        subject="encode",
        right=encoders.RIGHT,
        mutants=encoders.MUTANTS,
    ),
    Exercise(
        key="08.heal",
        title="Far enough back",
        kind="write",
        entry="heal",
        difficulty=3,
        minutes=20,
        points=3,
        hints=(
            "For each place: what text would be taken away from there on, and is there a token that goes beyond it?",
            "for every place from the first on: taken = the bytes from there on, joined; if some token begins with "
            "taken and is longer: keep what is before, allow all tokens that begin with taken",
            "Lesson 08, section 8: healing takes one token back, and the count behind it shows when that is too few.",
        ),
        wanted=streams.heal,
        shown=(
            Case(streams.LONGER, ([b"http", b":"], _URL)),
            Case(streams.NOTHING, ([b"://"], _URL)),
            Case(streams.GAP, ([b"h", b"t", b"t"], _URL)),
        ),
        drawn=streams.heal_cases,
        mistakes=(
            Mistake(
                "stops-too-early",
                "A step for which there is no longer token does not end the search: further back there may be one.",
                like=streams.heal_while_it_lasts,
            ),
            Mistake(
                "nearest",
                "As far back as one token can reach: look for the first place, not for the last.",
                like=streams.heal_first_place,
            ),
            Mistake(
                "no-reason",
                "Where only what stands there already could stand there, there is no reason to go back.",
                like=streams.heal_as_it_was,
            ),
            Mistake(
                "only-longer",
                "The text may end just there: a token that is exactly what was taken away is allowed as well.",
                like=streams.heal_only_longer,
            ),
            Mistake(
                "one-back",
                "One token back is a guess: sometimes a longer token begins further back, sometimes there is none.",
                like=streams.heal_one,
            ),
        ),
    ),
    Exercise(
        key="08.word_cache",
        title="Which word has to go?",
        kind="design",
        entry="WordCache",
        difficulty=5,
        minutes=40,
        points=4,
        hints=(
            "What do you know about a word that was asked for once? And about one asked for ten times, long ago?",
            "give every word a score; asking for it adds to its score, and an addition made later weighs more (double "
            "it every hundred words or so); the word with the lowest score goes, the new one not excepted",
            "Lesson 08, section 4: most words of the long tail come once. They should not drive out the others.",
        ),
        accept=caches.complaint,
        shown=(
            caches.asked("few words", 1, ["a", "a", "b", "b"]),
            caches.asked("few words", 2, ["a", "b", "a", "c", "a", "b"]),
        ),
        drawn=caches.cache_cases,
        mistakes=(
            Mistake(
                "overflows",
                "When the cache is full, a word has to go: return it, or the new word if that is not worth a place.",
                when=caches.names_none,
            ),
            Mistake(
                "goes-for-nothing",
                "The word was there, so nothing is put in and nothing goes: return None.",
                when=caches.names_one_for_nothing,
            ),
            Mistake(
                "goes-twice",
                "The word that you send away is not in the cache. Keep your own books in step with what you return.",
                when=caches.names_a_stranger,
            ),
        ),
        measure=caches.measured,
        levels=((66.0, 4), (58.0, 3), (50.0, 2)),
        smaller_is_better=False,
        unit="percent of what a cache answers that knows the future",
    ),
)
