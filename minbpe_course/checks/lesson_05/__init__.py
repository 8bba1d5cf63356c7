"""The exercises of lesson 05: special tokens, chat templates, and text that must not become a signal."""

from __future__ import annotations

from minbpe_course.checks.exercise import Case, Exercise, Mistake
from minbpe_course.checks.lesson_05 import cases, chats, renderers, streams

_END, _END_LINE = cases.END, cases.END_LINE
_QUESTION = {"role": "user", "content": "What does <|im_end|> mean?"}
_SPLIT_MARKER = {"role": "user", "content": "Hi<|im_<|im_end|>end|>!"}

EXERCISES = (
    Exercise(
        key="05.free_id",
        title="An id that nobody has",
        kind="fill",
        entry="free_id",
        difficulty=1,
        minutes=5,
        points=1,
        hints=(
            "Which numbers could the answer be, at most? Among n + 1 numbers at least one is not among n taken ones.",
            "of the numbers 0, 1, 2, ... len(taken): the smallest that is not in taken",
            "Lesson 05, “New tokens on a published vocabulary”: what the error says about the first free id.",
        ),
        wanted=cases.free_id,
        shown=(
            Case("no special token yet", ({0: b"a", 1: b"b"}, {})),
            Case("no gap", ({0: b"a", 1: b"b", 2: b"ab"}, {_END: 3})),
            Case("a gap between the special tokens", ({0: b"a", 1: b"b"}, {_END: 2, "<|pad|>": 4})),
        ),
        drawn=cases.free_id_cases,
        mistakes=(
            Mistake(
                "counts-instead-of-looking",
                "How many ids are taken says which one is free only while there is no gap. Look at the ids themselves.",
                like=lambda token_bytes, special_tokens: len(token_bytes) + len(special_tokens),
            ),
            Mistake(
                "beyond-the-last",
                "That id is free, and a smaller one is too: the ids have a gap.",
                like=lambda token_bytes, special_tokens: max([*token_bytes, *special_tokens.values()]) + 1,
            ),
            Mistake(
                "special-tokens-forgotten",
                "Special tokens have ids as well, and yours is one of them.",
                like=lambda token_bytes, special_tokens: max(token_bytes) + 1,
            ),
        ),
    ),
    Exercise(
        key="05.allowed_set",
        title="Who may speak?",
        kind="write",
        entry="allowed_set",
        difficulty=2,
        minutes=10,
        points=2,
        hints=(
            "Go through the four ways of asking one by one. Only one of them looks at the text at all.",
            'if "all": everything; if "none": nothing; if "none_raise": raise if any special token is in the text, '
            "else nothing; if it is any other str: raise; otherwise: the special tokens whose names are in the set",
            "Lesson 05, “Who may speak?”: minbpe folds two knobs into one argument with four values.",
        ),
        wanted=cases.allowed_set,
        shown=(
            Case("everything is allowed", (f"Bye{_END}", {_END: 300}, "all")),
            Case("nothing is allowed", (f"Bye{_END}", {_END: 300}, "none")),
            Case("none_raise, and nothing to raise for", ("Bye<|en", {_END: 300}, "none_raise")),
            Case("none_raise meets a special token", (f"Bye{_END}", {_END: 300}, "none_raise")),
            Case("a set of names", (f"Bye{_END}", {_END: 300, "<|pad|>": 301}, {"<|pad|>"})),
            Case("a set with a name that is no special token", ("Bye", {_END: 300}, {"<|pad|>"})),
        ),
        drawn=cases.allowed_cases,
        mistakes=(
            Mistake(
                "asserts",
                "`assert` is for what cannot happen, and vanishes under `python -O`. A text of a stranger can: "
                "raise ValueError.",
                when=cases.asked_with_assert,
            ),
            Mistake(
                "string-taken-for-names",
                "A string that is none of the three words is a slip of the caller: `in` would look for a name inside "
                "it. Raise ValueError.",
                when=cases.word_taken_for_names,
            ),
            Mistake(
                "none-raise-is-silent",
                'With "none_raise" the text itself must be looked at: a special token in it is an error.',
                when=cases.none_raise_is_silent,
            ),
            Mistake(
                "set-raises",
                "With a set, the other special tokens are ordinary text; that is minbpe's way, not tiktoken's.",
                when=cases.set_raises,
            ),
            Mistake(
                "unknown-name",
                "A name in the set may be no special token at all. Leave it out.",
                when=cases.unknown_name_raises,
            ),
            Mistake(
                "raises-without-reason",
                'There is no special token in this text, so "none_raise" has nothing to raise for.',
                when=cases.raises_without_reason,
            ),
        ),
    ),
    Exercise(
        key="05.split_on_special",
        title="Cut at the special tokens",
        kind="match",
        entry="split_on_special",
        difficulty=3,
        minutes=15,
        points=3,
        hints=(
            "What if the table is empty? If a name holds a `|`? If one name begins with another?",
            "no names: the whole text, if there is any. Otherwise: names longest first, each quoted for re, joined "
            "with |, in brackets; split; pieces that are not empty; a piece that is a name gets its id",
            "Lesson 05, “Build it: cut first, merge later” and “Overlaps: the longest wins”.",
        ),
        wanted=cases.split_on_special,
        shown=(
            Case("special tokens side by side and at the ends", ("Hi", {_END: 300})),
            Case("special tokens side by side and at the ends", (f"Hi{_END}", {_END: 300})),
            Case("one begins like another", (f"Hi{_END_LINE}", {_END: 300, _END_LINE: 301})),
            Case("no special token is known", (f"Nothing is special here, nor is {_END}", {})),
            Case("special tokens that overlap", ("abc", {"ab": 300, "bc": 301})),
            Case("special tokens that overlap", ("abcd", {"ab": 300, "bcd": 301})),
        ),
        drawn=cases.split_cases,
        mistakes=(
            Mistake(
                "nothing-known",
                "Without any special token the text is one piece (or none, if it is empty). What does your code look "
                "for then?",
                when=cases.nothing_known,
            ),
            Mistake(
                "empty-pieces",
                "Between two special tokens side by side, and at the ends, there is no text: leave such pieces out.",
                when=cases.empty_pieces,
            ),
            Mistake(
                "zero-is-an-id",
                "A special token may have the id 0, and `if number` is false for 0. Ask whether it is None.",
                when=cases.zero_lost,
            ),
            Mistake(
                "text-in-crumbs",
                "Ordinary text between two special tokens is one piece, however long.",
                when=cases.crumbs,
            ),
            Mistake(
                "shorter-wins",
                "Two special tokens begin at the same place, and the longer one should win, however they are listed.",
                when=cases.shorter_won,
            ),
            Mistake(
                "not-quoted",
                "Names are not patterns: `|`, `.`, `[` and others mean something to `re` until they are quoted.",
                when=cases.meaning_of_a_pattern,
            ),
            Mistake(
                "later-wins",
                "Where two special tokens overlap, the one that begins first wins; only then the length counts.",
                when=cases.later_won,
            ),
        ),
    ),
    Exercise(
        key="05.chat_ids",
        title="The user who speaks as the system",
        kind="repair",
        entry="chat_ids",
        difficulty=3,
        minutes=15,
        points=3,
        hints=(
            "Look for the moment at which the program can no longer tell what it wrote itself from what a user typed.",
            "for each message: the id of the start, the ordinary ids of role, line feed and content together, the id "
            "of the end, the ordinary ids of a line feed",
            "Lesson 05, “A cure that does not work” and “The cure”.",
        ),
        wanted=chats.chat_ids,
        shown=(
            Case("a harmless conversation", ([{"role": "user", "content": "Hi!"}],)),
            Case("line feeds at the edges", ([{"role": "user", "content": "\nHi!"}],)),
            Case("a marker in the content", ([_QUESTION],)),
            Case("markers and halves of markers", ([_SPLIT_MARKER],)),
        ),
        drawn=chats.chat_cases,
        planted=chats.leaking_chat_ids,
        mistakes=(
            Mistake(
                "role-is-text-too",
                "The role comes from outside as well. Whatever is not your own frame goes through encode_ordinary.",
                when=chats.role_speaks,
            ),
            Mistake(
                "signal-from-text",
                "There are more signals in the row than your frame has: text of a message still meets `encode`.",
                when=chats.signal_from_text,
            ),
            Mistake(
                "text-lost",
                "Some of what was typed is gone. Somebody may ask what a marker means: text is not to be cleaned.",
                when=chats.text_lost,
            ),
            Mistake(
                "text-changed",
                "The row says something that nobody typed. Two channels need no escape characters.",
                when=chats.text_added,
            ),
            Mistake(
                "cut-at-the-border",
                "Safe, but the ids differ from those of before: role, line feed and content belong to one text and "
                "are to be encoded together.",
                when=chats.cut_at_the_border,
            ),
            Mistake(
                "refuses",
                "A message with a marker in it is a message like any other: do not turn it away.",
                when=chats.refused,
            ),
        ),
    ),
    Exercise(
        key="05.next_targets",
        title="What the model should say next",
        kind="write",
        entry="next_targets",
        difficulty=3,
        minutes=20,
        points=2,
        hints=(
            "Two questions, one after the other: which ids does the assistant say? And where does each of them stand "
            "as the answer to “what comes next”?",
            "walk along the row and remember where you are: outside, in a role (collect its bytes up to the line "
            "feed), in a content (up to the end mark, included). Keep the assistant's ids, put -100 for the others; "
            "then move everything one place to the left and put -100 at the end",
            "Lesson 05, “What the model is trained on”: which of the two marks counts, and why.",
        ),
        wanted=chats.next_targets,
        shown=(
            Case("a question and an answer", (chats.byte_row([{"role": "assistant", "content": "4"}]),)),
            Case("a question and an answer", (chats.byte_row([{"role": "user", "content": "?"}]),)),
            Case("an answer without a word", (chats.byte_row([{"role": "assistant", "content": ""}]),)),
        ),
        drawn=chats.target_cases,
        mistakes=(
            Mistake(
                "not-shifted",
                "These are the ids that the assistant says, each at its own place. At place t the model is asked for "
                "the id at t + 1.",
                like=chats.not_shifted,
            ),
            Mistake(
                "never-learns-to-stop",
                "The end mark behind an answer is something the assistant has to say; without it, it never stops.",
                like=chats.never_ends,
            ),
            Mistake(
                "every-end-counts",
                "Only the end mark behind an answer counts. The others are written by whoever runs the chat.",
                like=chats.every_end,
            ),
            Mistake(
                "line-feed-counts",
                "The line feed behind the end mark is part of the frame: by then the model has stopped.",
                like=chats.line_after_end,
            ),
            Mistake(
                "everybody-counts",
                "Users and systems speak too, and the model should not learn to speak for them.",
                like=chats.everybody,
            ),
        ),
    ),
    Exercise(
        key="05.test_render",
        title="Catch the leaking renderer",
        kind="test",
        entry="test_render",
        difficulty=4,
        minutes=20,
        points=3,
        hints=(
            "A renderer can be wrong in two directions: text becomes a signal, or text is lost. Ask for both at once, "
            "and put hostile words everywhere: in each role, in roles themselves, at the edges.",
            "for hostile texts and several roles: render one message; assert that the row is 300, the bytes of role, "
            "line feed and content, 301, 10; then assert that two messages are the two rows joined",
            "Lesson 05, “Break it”, “A cure that does not work” and “The cure”: every attack there is one line of your "
            "test.",
        ),
        subject="render",
        right=renderers.RIGHT,
        mutants=renderers.MUTANTS,
    ),
    Exercise(
        key="05.special_stream",
        title="A stream that waits no longer than it must",
        kind="design",
        entry="SpecialStream",
        difficulty=5,
        minutes=35,
        points=4,
        hints=(
            "When is it certain that a character is ordinary text? Not when it is no special token, but when nothing "
            "that could follow makes it the beginning of one.",
            "at each place of what is held: if the rest is the beginning of a longer name, stop here and wait; else, "
            "if names begin here, give out the longest; else one character of text. At the end nobody waits",
            "Lesson 05, “Overlaps: the longest wins”: a token that is complete may still become a longer one.",
        ),
        shown=(
            Case(
                "special tokens",
                ({_END: 300},),
                script=(("feed", ("Hi<|e",)), ("feed", ("nd|>",)), ("finish", ())),
            ),
            Case(
                "one begins like another",
                ({_END: 300, _END_LINE: 301},),
                script=(("feed", (_END,)), ("feed", ("\n",)), ("feed", (_END,)), ("finish", ())),
            ),
        ),
        drawn=streams.stream_cases,
        mistakes=(
            Mistake(
                "rest-lost",
                "Some of the text was never given out. What is held back when the stream ends is what `finish` is for.",
                when=streams.rest_lost,
            ),
            Mistake(
                "cut-by-a-border",
                "A special token came out as ordinary text: the border of a chunk went through it. What could still "
                "become a special token has to wait for the next chunk.",
                when=streams.cut_by_a_border,
            ),
            Mistake(
                "too-eager",
                "A special token that is complete may be the beginning of a longer one, and the longest wins: wait.",
                when=streams.too_eager,
            ),
        ),
        accept=streams.complaint,
        measure=streams.measured,
        levels=((0.0, 4), (1.0, 3), (6.0, 2)),
        unit="characters a chunk held back without need",
    ),
)
