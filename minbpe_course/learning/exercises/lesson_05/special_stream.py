"""Exercise 05.special_stream: split a stream at its special tokens, and hold back as little as possible.

The metric is the number of characters that were fed and not yet returned after each chunk, beyond the least possible.
Returning too early does not help: joined, the parts must be those of the whole text.
"""

from minbpe_course.learning import Case, Exercise, Mistake
from minbpe_course.learning.exercises.lesson_05.samples import CHAT, END, END_LINE, PAD, joined
from minbpe_course.learning.exercises.lesson_05.split_on_special import split_on_special
from minbpe_course.learning.judge.equality import shown


class SpecialStream:
    r"""Split text that arrives in chunks at its special tokens.

    An answer arrives in chunks, and a reader is waiting for each word. Split the stream at its special tokens, as
    `split_on_special` splits a text, and return each character **as soon as it is certain**. The chunks may be cut
    anywhere.

    * `SpecialStream(names)`: a list of the names of the special tokens, as above.
    * `feed(chunk)` returns a list of the parts that are certain by now.
    * `finish()` returns the rest; no more chunks will come.

    All parts together (neighboring parts of text count as one) must be what `split_on_special` makes of the whole text.
    We measure waiting: how many characters you hold back after each chunk, beyond those that any decoder must hold
    back, on average over all chunks. An average of 0 earns 4 points, up to 1 earns 3, up to 6 earns 2.

    With `<|end|>` and `<|end|>` followed by a line feed as special tokens:

    | chunk | returned | held back |
    |---|---|---|
    | `"Hi <\|"` | `"Hi "` | `"<\|"` |
    | `"x\|> <\|end"` | `"<\|x\|> "` | `"<\|end"` |
    | `"\|>"` | nothing: a line feed may follow | `"<\|end\|>"` |
    | `"\nBye"` | `"<\|end\|>\n"`, `"Bye"` | nothing |
    | `" <"` | `" "` | `"<"` |
    | `finish()` | `"<"` | |

    Tried: chunks of one character, empty chunks, names that overlap or end the way they begin (`aab`), no special
    tokens.
    """

    def __init__(self, names):
        self.names = names
        self.held = ""

    def feed(self, chunk):
        """Take a chunk and return the parts that are now certain."""
        ### BEGIN SOLUTION
        self.held += chunk
        at = 0
        while at < len(self.held):
            rest = self.held[at:]
            if any(name.startswith(rest) and name != rest for name in self.names):
                break
            at += max((len(name) for name in self.names if rest.startswith(name)), default=1)
        certain, self.held = self.held[:at], self.held[at:]
        return split_on_special(certain, self.names)
        ### END SOLUTION

    def finish(self):
        """Return the parts of the text held back."""
        ### BEGIN SOLUTION
        remaining, self.held = self.held, ""
        return split_on_special(remaining, self.names)
        ### END SOLUTION


TEXTS = {
    "ordinary text": (CHAT, ["What is ", "2 + 2", "? ", "a < b", " | ", "né ", "世界", "\n"]),
    "special tokens": (CHAT, [*CHAT, "Hi", " ", "\n", "user\n"]),
    "halves of special tokens": (CHAT, [*CHAT, "<|im_", "<|", "<", "start|>", "<|im_end|", ">"]),
    "one begins like another": ([END, END_LINE, PAD], [END, END_LINE, "\n", PAD, "ok", "<|e"]),
    "special tokens that overlap": (["ab", "bcd", "abcde"], ["a", "b", "c", "d", "e", "ab", "abcd"]),
    "a token that begins like its own end": (["aab", "--->"], ["a", "aa", "b", "-", "--", ">"]),
}


def cases(random):
    yield fed("nothing is fed", [END], [])
    yield fed("no special token is known", [], ["<|end", "|>"])
    # The end of the longest name may begin another one. That is no reason to wait, nor to cut there.
    yield fed("special tokens that overlap", ["ab", "abx", "xy"], ["abx", "y"])
    for size in range(1, 8):
        for category, (names, parts) in TEXTS.items():
            text = "".join(random.choices(parts, k=size + 2))
            longest = random.choice([1, 3, 6, 12])
            chunks, at = [], 0
            while at < len(text):
                step = random.randint(longest == 1, longest)
                chunks.append(text[at : at + step])
                at += step
            yield fed(category, list(names), chunks)


def fed(category, names, chunks):
    feeds = tuple(("feed", (chunk,)) for chunk in chunks)
    return Case(category, (names,), script=(*feeds, ("finish", ())))


def complaint(case, answer):
    """Return None when the parts, joined, are those of the whole text, else what they should be."""
    if not all(
        isinstance(listed, (list, tuple)) and all(isinstance(part, str) for part in listed) for listed in answer
    ):
        return "each call returns a list of str: the parts that are certain"
    parts, right = parts_of(case, answer), right_parts(case)
    if parts == right:
        return None
    wanted, yours = (shown([part for part, _ in each]) for each in (right, parts))
    return f"all together {wanted}, and yours are {yours}"


def text_of(case):
    return "".join(args[0] for method, args in case.script if method == "feed")


def parts_of(case, answer):
    """Return the parts of all calls, joined, each with whether it is a special token."""
    return joined([part for listed in answer for part in listed], *case.args)


def right_parts(case):
    return joined(split_on_special(text_of(case), *case.args), *case.args)


def loses_the_rest(case, outcome, wanted):
    returned, text = "".join(part for part, _ in parts_of(case, outcome.value)), text_of(case)
    return returned != text and text.startswith(returned)


def cuts_a_special_token(case, outcome, wanted):
    cut = [name for name in case.args[0] if not any(name in chunk for _, args in case.script for chunk in args)]
    return any(not special and name in part for part, special in parts_of(case, outcome.value) for name in cut)


def too_eager(case, outcome, wanted):
    """Tell whether the answer has a special token where there is a longer one."""
    both = zip(parts_of(case, outcome.value), right_parts(case))
    (part, special), (longer, is_one) = next((mine, right) for mine, right in both if mine[0] != right[0])
    return special and is_one and longer.startswith(part)


def held_back(cases, answers):
    """Return how many characters per chunk were held back beyond the least possible; never a complaint."""
    chunks = more = 0
    for case, answer in zip(cases, answers):
        ideal, waiting = SpecialStream(*case.args), 0
        for (_, (chunk,)), parts in zip(case.script[:-1], answer):
            ideal.feed(chunk)
            waiting += len(chunk) - sum(map(len, parts))
            more += max(0, waiting - len(ideal.held))
            chunks += 1
    return more / max(1, chunks), None


EXERCISE = Exercise(
    "05.special_stream",
    "A stream that waits no longer than it has to",
    "design",
    answer=SpecialStream,
    entry="SpecialStream",
    difficulty=5,
    minutes=35,
    points=4,
    hints=(
        "When is it certain that a character is ordinary text? It is not enough that it is not part of a special "
        "token so far. No later text may make it the beginning of one.",
        "Lesson 05, on overlaps, where the longest wins: a token that is complete may still become a longer one.",
        "at each position of the held text: if the rest is the beginning of a longer name, stop here and wait; else, "
        "if names begin here, return the longest; else return one character of text. In finish, do not wait",
    ),
    shown=(
        fed("special tokens", [END], ["Hi<|e", "nd|>"]),
        fed("one begins like another", [END, END_LINE], [END, "\n", END]),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "rest-lost",
            "Some of the text was never returned. When the stream ends, `finish` has to return what was held back.",
            when=loses_the_rest,
        ),
        Mistake(
            "cut-by-a-border",
            "You returned a special token as ordinary text, because a chunk ended inside it. Hold back any text that "
            "could still become a special token.",
            when=cuts_a_special_token,
        ),
        Mistake(
            "too-eager",
            "A special token that is complete may be the beginning of a longer one, and the longest wins: wait.",
            when=too_eager,
        ),
    ),
    accept=complaint,
    measure=held_back,
    levels=((0.0, 4), (1.0, 3), (6.0, 2)),
    unit="characters a chunk held back without need",
)
