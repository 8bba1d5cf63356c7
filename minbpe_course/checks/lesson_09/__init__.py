"""The exercises of lesson 09: files that say what was meant, and readers that believe nothing else.

    cache_name, read_merges, tekken_rows   reading and writing what others read and write
    first_fault                            a loader that names the line
    keeps_ids                              which conversions keep the ids
    test_format, choose_alphabet           hostile models, and an alphabet of one's own

Cases and known wrong answers stand in ``merges``, ``faults``, ``keeping``, ``formats`` and ``alphabets``.
"""

from __future__ import annotations

import hashlib

from minbpe_course.checks.exercise import Case, Exercise, Mistake
from minbpe_course.checks.lesson_09 import alphabets, faults, formats, keeping, merges

EXERCISES = (
    Exercise(
        key="09.cache_name",
        title="The name in the cache",
        kind="fill",
        entry="cache_name",
        difficulty=1,
        minutes=5,
        points=1,
        hints=(
            "Which hash is it, and of what: of the file, of its name, or of its whole address?",
            "encode the address, hash the bytes with SHA-1, and take the hexadecimal digits",
            "Lesson 09, section 7: the cell that prints the names of the folder.",
        ),
        wanted=merges.cache_name,
        shown=(
            Case(
                merges.ENGLISH_ADDRESS,
                ("https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken",),
            ),
            Case(merges.OTHER_ADDRESS, ("https://example.org/größe.tiktoken",)),
        ),
        drawn=merges.address_cases,
        mistakes=(
            Mistake(
                "other-hash",
                "SHA-256 checks what is in the file. The name is made with the older SHA-1, of forty digits.",
                like=lambda address: hashlib.sha256(address.encode()).hexdigest(),
            ),
            Mistake(
                "last-part",
                "That is the hash of the file's name only. Two files of one name may lie at two addresses.",
                like=merges.name_of_the_last_part,
            ),
            Mistake(
                "raw",
                "These are the twenty bytes of the hash. A file name needs them as hexadecimal digits.",
                like=lambda address: hashlib.sha1(address.encode(), usedforsecurity=False).digest(),
            ),
        ),
    ),
    Exercise(
        key="09.read_merges",
        title="A reader that loses merges",
        kind="repair",
        entry="read_merges",
        difficulty=2,
        minutes=15,
        points=3,
        hints=(
            "Each of `splitlines()`, `split()` and `startswith('#')` says more than the format does. What does each "
            "of them take that belongs to a merge?",
            "split at '\\n' only; take one '\\r' off the end of a line; only the first line can be a heading; leave "
            "out empty lines; split each line at ' ' only",
            "Lesson 09, section 4 for the white space, section 5 for the heading and the last line.",
        ),
        wanted=merges.read_merges,
        planted=merges.read_merges_as_handed_out,
        shown=(
            Case(merges.PLAIN, ("#version: 0.2\nĠ t\nh e\n",)),
            Case(merges.SIGNS, ("#version: 0.2\n# #\n## ##\n",)),
            Case(merges.BLANKS, ("#version: 0.2\na\u3000 b\n",)),
            Case(merges.ENDS, ("#version: 0.2\na\u2028b c\n",)),
            Case(merges.HEADINGS, ("#version: 0.2\nh e\n#version: 1\n",)),
            Case(merges.NO_HEADING, ("h e\nt h\n",)),
            Case(merges.WINDOWS, ("#version: 0.2\r\nh e\r\n",)),
        ),
        drawn=merges.merges_cases,
        mistakes=(
            Mistake(
                "headings",
                "Only the *first* line can be the heading. Further down, `#version:` is a token.",
                like=merges.skips_every_heading,
            ),
            Mistake(
                "comments",
                "Number signs are tokens like others: `# #` is a merge of GPT-2's. Only the heading is none.",
                like=merges.skips_comments,
            ),
            Mistake(
                "first-line",
                "The heading may be missing. Then the first line is the first merge.",
                like=merges.skips_the_first,
            ),
            Mistake(
                "any-blank",
                "`split()` splits at every white space, and so a token with a wide blank in it falls apart.",
                like=merges.splits_at_any_blank,
            ),
            Mistake(
                "many-ends",
                "`splitlines()` knows ten characters that end a line. In this file, only the line feed does.",
                like=merges.knows_too_many_ends,
            ),
            Mistake(
                "return",
                "In a file from Windows each line ends in '\\r\\n'. The '\\r' belongs to no token.",
                like=merges.keeps_the_return,
            ),
        ),
    ),
    Exercise(
        key="09.tekken_rows",
        title="Rows for tekken.json",
        kind="write",
        entry="tekken_rows",
        difficulty=2,
        minutes=10,
        points=2,
        hints=(
            "What does `bytes.decode` do when the bytes are no text, and when they are a real U+FFFD?",
            "for each rank and token: base64.b64encode(token).decode(); try token.decode(), and take None when "
            "UnicodeDecodeError comes out",
            "Lesson 09, section 8: the rows of a real file, and `tekken_row`.",
        ),
        wanted=merges.tekken_rows,
        shown=(
            Case(merges.TEXTS, ([b"a", " औ".encode()],)),
            Case(merges.HALVES, ([b"\xe0\xa4", b"a\xff"],)),
            Case(merges.REAL, (["\ufffd".encode()],)),
            Case(merges.HALVES, ([b"\xfb\xef\xff"],)),
        ),
        drawn=merges.row_cases,
        mistakes=(
            Mistake(
                "replaced",
                "U+FFFD is a text. A token that is none has None, or nobody can tell the two apart.",
                like=merges.rows_with_replacements,
            ),
            Mistake(
                "left-out",
                "Broken bytes that are left out make a text that the token is not. It is no text: None.",
                like=merges.rows_without_broken,
            ),
            Mistake(
                "real-sign",
                "U+FFFD may really stand in a token, as the bytes EF BF BD. Then it is its text.",
                like=merges.rows_that_fear_the_sign,
            ),
            Mistake(
                "for-addresses",
                "That is the base64 of web addresses, with - and _. This format has + and /.",
                like=merges.rows_for_addresses,
            ),
            Mistake(
                "hexadecimal", "These are hexadecimal digits. The format wants base64.", like=merges.rows_in_hexadecimal
            ),
        ),
    ),
    Exercise(
        key="09.first_fault",
        title="The line of the fault",
        kind="match",
        entry="first_fault",
        difficulty=4,
        minutes=30,
        points=4,
        hints=(
            "Which functions of Python are more generous than this format? Try `int(' +1_0 ')` and "
            "`base64.b64decode(b'I!Q==')`.",
            "lines = data.split(b'\\n'); the last of them must be empty; for each other line: partition at b' '; "
            "decode the left part, encode it again and compare; match the right part with a pattern for numbers; look "
            "both up among those seen",
            "Lesson 09, section 6 for the format, and section 4 for what `splitlines` does to bytes.",
        ),
        wanted=faults.first_fault,
        shown=(
            Case(faults.GOOD, (b"IQ== 0\nIg== 1\n",)),
            Case(faults.NUMBERS, (b"IQ== 0\nIg== +1\n",)),
            Case(faults.SIGNS, (b"IQ== 0\nI!g== 1\n",)),
            Case(faults.BITS, (b"IR== 0\nIg== 1\n",)),
            Case(faults.DOUBLES, (b"IQ== 0\nIg== 1\nIQ== 2\n",)),
            Case(faults.CUT, (b"IQ== 0\nIg== 1",)),
            Case(faults.RETURNS, (b"IQ== 0\r\nIg== 1\r\n",)),
        ),
        drawn=faults.file_cases,
        mistakes=(
            Mistake(
                "returns",
                "`splitlines` takes a carriage return for the end of a line. Here it is a fault.",
                like=faults.takes_returns,
            ),
            Mistake("from-zero", "Lines are counted from 1: 0 means that all is well.", like=faults.counts_from_zero),
            Mistake(
                "spare-bits",
                "`IQ==` and `IR==` are decoded to the same byte. Only one of them is what `b64encode` writes.",
                like=faults.takes_spare_bits,
            ),
            Mistake(
                "skips-signs",
                "`b64decode` skips what is no base64, unless it is told not to.",
                like=faults.skips_foreign_signs,
            ),
            Mistake(
                "int",
                "`int` takes `+1`, `007`, `1_0` and digits of other scripts. A reader that takes them writes another "
                "file back.",
                like=faults.takes_what_int_takes,
            ),
            Mistake(
                "doubles",
                "A token, or an id, that is there twice is a fault of the second line.",
                like=faults.forgets_doubles,
            ),
            Mistake(
                "no-end",
                "A last line without a line break was cut off: nobody knows whether its number is whole.",
                like=faults.forgets_the_end,
            ),
        ),
    ),
    Exercise(
        key="09.keeps_ids",
        title="Which merges does a list of ranks keep?",
        kind="write",
        entry="keeps_ids",
        difficulty=4,
        minutes=25,
        points=3,
        hints=(
            "Where could tiktoken, which looks up joined bytes, join what these merges would not? Lesson 04 has such a "
            "vocabulary of three tokens.",
            "make the bytes of every token; if two are equal: False; encode the bytes of every token with the merges, "
            "as lesson 02 does; if the result is not that one token: False; else True",
            'Lesson 04, section "Look up the pair, or the joined bytes?", and lesson 09, section 6.',
        ),
        wanted=keeping.keeps_ids,
        shown=(
            Case(keeping.TRAINED, ([(97, 98), (256, 99)],)),
            Case(keeping.FORESTALLED, ([(97, 98), (98, 99), (97, 257)],)),
            Case(keeping.TWICE, ([(97, 97), (256, 97), (97, 256)],)),
            Case(keeping.BOTH, ([(98, 99), (97, 256)],)),
        ),
        drawn=keeping.merge_cases,
        mistakes=(
            Mistake(
                "different-only",
                "All tokens are different, and still one of them may never come out: another merge is always earlier.",
                like=keeping.all_different,
            ),
            Mistake(
                "reached-only",
                "Two ways to the same bytes are two ids for one line. A list of ranks has room for one of them.",
                like=keeping.all_reached,
            ),
            Mistake(
                "pairs",
                "Look at the bytes that the pairs make, and at what happens when all merges are at work.",
                like=keeping.pairs_once,
            ),
        ),
    ),
    Exercise(
        key="09.test_format",
        title="Formats that forget",
        kind="test",
        entry="test_format",
        difficulty=4,
        minutes=20,
        points=3,
        hints=(
            "Write models that are as unkind as possible: what could stand in a pattern, in the text of a special "
            "token, in a pair of ids?",
            "for every unkind model: assert that save_and_load(model) == model; have blanks at "
            "the ends, all kinds of line ends, half a surrogate pair, decomposed letters, ids of 0 and beyond 65,535, "
            "merges that are not sorted",
            "Lesson 09, section 4: every trap there is one of the ten.",
        ),
        subject="save_and_load",
        right=formats.RIGHT,
        mutants=formats.MUTANTS,
    ),
    Exercise(
        key="09.choose_alphabet",
        title="An alphabet for your language",
        kind="design",
        entry="choose_alphabet",
        difficulty=3,
        minutes=30,
        points=4,
        hints=(
            "Which letters take one byte in UTF-8, how many of them are free, and which bytes should have them?",
            "count the bytes of the tokens; letters of ASCII keep their own; give the 42 other visible signs of ASCII "
            "to the commonest other bytes, and visible letters from U+00A1 on to the rest",
            "Lesson 09, section 5: the map. Lesson 01: how many bytes a character takes.",
        ),
        accept=alphabets.complaint,
        shown=(Case("a few tokens", ([b"a\xe0\xa4", b"\xe0\xa4\xa4"],)),),
        drawn=alphabets.vocabulary_cases,
        mistakes=(
            Mistake(
                "not-256",
                "Every one of the 256 bytes needs a letter, those that no token has as well.",
                when=lambda case, outcome, wanted: alphabets.too_short(outcome.value),
            ),
            Mistake(
                "alike",
                "Two bytes have the same letter, so nobody can read the file back.",
                when=lambda case, outcome, wanted: alphabets.alike(outcome.value),
            ),
            Mistake(
                "unseen",
                "A blank or a control character is among the letters. Those break lines, or cannot be seen.",
                when=lambda case, outcome, wanted: alphabets.unseen(outcome.value),
            ),
        ),
        measure=alphabets.measured,
        levels=((100.0, 4), (101.0, 3), (105.0, 2)),
        smaller_is_better=True,
        unit="percent of the shortest file",
    ),
)
