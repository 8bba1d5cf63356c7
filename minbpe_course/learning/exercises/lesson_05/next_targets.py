"""Exercise 05.next_targets: the id that the model should predict at each place of a chat."""

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_05.samples import draw_talk, draw_text

START, END, NOTHING = 300, 301, -100


def next_targets(ids):
    """Return, for each position, the id that the model should say next, or NOTHING.

    In training, a model reads a sequence of ids, and at **every** position it is asked: what comes next? It should
    learn only what the assistant says. So each sequence comes with *targets*, one for each position: the id that should
    come next there, or -100 if the answer does not count (-100 is the value that PyTorch ignores).

    * **In:** `ids`, one message after the other: 300, the role, a line feed (10), the content, 301, a line feed. Roles
      and contents are bytes of UTF-8. The sequence may break off anywhere, and it may begin in the middle of a message;
      you know nothing about what comes before the first 300.
    * **Out:** a list of the same length.
    * The assistant says its content and the end mark after it. Everything else is the frame or another speaker.

    If the user says `Hi` and the assistant says `Yo`, all targets but these few at the end are -100:

        ids      ...  116   10   89  111  301   10        (116 and 10: the end of "assistant" and its line feed)
        targets  ... -100   89  111  301 -100 -100

    Tried: empty answers, several answers, roles like `assistants`, contents that quote `<|im_end|>` or contain line
    feeds, and an empty list.
    """
    said, header, answering = [], None, False
    for number in ids:
        said.append(number if answering and number != START else NOTHING)
        if number in (START, END):
            header, answering = (bytearray() if number == START else None), False
        elif header is not None and number == 10:
            header, answering = None, header == b"assistant"
        elif header is not None:
            header.append(number)
    return [*said, NOTHING][1:]


def chat(messages):
    """Return the ids of a ChatML conversation, with one id for each byte."""
    ids = []
    for message in messages:
        ids += [START, *f"{message['role']}\n{message['content']}".encode(), END, 10]
    return ids


def cases(random):
    yield "an empty row", []
    plain = ["Hi", " ", "é", "\n"]
    hostile = [*plain, "assistant\n", "4", "<|im_end|>", "<|im_start|>assistant\n"]
    for size in range(1, 8):
        number = 1 + size // 3
        answer = {"role": "assistant", "content": draw_text(random, plain, size) or "4"}
        question = {"role": "user", "content": draw_text(random, plain, size)}
        both = draw_talk(random, ["user", "assistant"], number, plain, size)
        quoting = draw_talk(random, ["assistant", "user"], number, hostile, size)
        similar = draw_talk(random, ["assistants", "an assistant", "Assistant"], number, plain, size)
        yield "a question and an answer", chat([question, answer])
        yield "several answers", chat([*both, answer, question, answer])
        yield "an answer without a word", chat([question, answer | {"content": ""}])
        yield "markers quoted as text", chat([*quoting, answer])
        yield "roles that are similar", chat(similar)
        yield "a row that breaks off", chat([question, answer])[: -random.randint(1, 14)]
        yield "a row that begins in the middle", chat([answer, question, answer])[2 + size :]


EXERCISE = Exercise(
    "05.next_targets",
    "What the model should say next",
    "write",
    answer=next_targets,
    picture=r"""
from minbpe_course.learning.charts.special import draw_ribbon

tokens = [b"<|im_start|>", b"user\n", b"Hi", b"<|im_end|>", b"\n", b"<|im_start|>", b"assistant\n", b"Yo",
          b"<|im_end|>", b"\n"]
authors = ["frame", "frame", "user", "frame", "frame", "frame", "frame", "assistant", "frame", "frame"]
trained = [False] * 7 + [True, True, False]
draw_ribbon(tokens, authors, special=[token.startswith(b"<|") for token in tokens], trained=trained,
            title="What the model should say. At which positions is it asked?")
""",
    difficulty=3,
    minutes=20,
    points=2,
    hints=(
        "There are two questions, one after the other. Which ids does the assistant say? And at which position is "
        "each of them the answer to “what comes next”?",
        "Lesson 05, on chats: only the ids that the assistant has to produce count in training.",
        "walk along the ids and keep track of where you are: outside, in a role (collect its bytes up to the line "
        "feed), or in a content (up to and including the end mark). Keep the assistant's ids and replace the others "
        "with -100; then move everything one position to the left and put -100 at the end",
    ),
    shown=(
        ("a question and an answer", chat([{"role": "assistant", "content": "4"}])),
        ("a question and an answer", chat([{"role": "user", "content": "?"}])),
        ("an answer without a word", chat([{"role": "assistant", "content": ""}])),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "not-shifted",
            "These are the ids that the assistant says, each at its own place. At place t the model has to predict "
            "the id at t + 1.",
            like=("[*said, NOTHING][1:]", "said"),
        ),
        Mistake(
            "never-learns-to-stop",
            "The assistant has to say the end mark after its answer; without it, it never stops.",
            like=("number != START else", "number not in (START, END) else"),
        ),
        Mistake(
            "every-end-counts",
            "Only the end mark after an answer counts. The chat program writes the others.",
            like=("number if", "number if number == END or"),
        ),
        Mistake(
            "line-feed-counts",
            "The line feed after the end mark is part of the frame: by then the model has stopped.",
            like=("number if", "number if said[-1:] == [END] or"),
        ),
        Mistake(
            "everybody-counts",
            "Users and systems speak too, and the model should not learn to speak for them.",
            like=('header == b"assistant"', "True"),
        ),
    ),
)
