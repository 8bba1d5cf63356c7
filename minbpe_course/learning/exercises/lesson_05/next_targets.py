"""Exercise 05.next_targets: the id that the model should predict at each place of a chat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from minbpe_course.learning.exercises.lesson_05.samples import END_ID, START_ID, Message, draw_talk, draw_text
from minbpe_course.learning.judge.exercise import Case, Exercise, Mistake, edited

NO_TARGET = -100  # PyTorch's loss ignores it


def _byte_ids(messages: Sequence[Message]) -> list[int]:
    """Return the ids of a ChatML conversation, with one id for each byte."""
    ids: list[int] = []
    for message in messages:
        ids += [START_ID, *f"{message['role']}\n{message['content']}".encode(), END_ID, 10]
    return ids


def _speakers(ids: Sequence[int]) -> list[str]:
    """Return for each id who says it: "frame", or a role, which also says the end mark.

    >>> _speakers([300, 109, 101, 10, 72, 105, 301, 10])
    ['frame', 'frame', 'frame', 'frame', 'me', 'me', 'me', 'frame']
    """
    speakers = []
    role: bytearray | None = None  # None between two messages
    speaker = "frame"
    for token in ids:
        speakers.append("frame" if token == START_ID else speaker)
        if token == START_ID:
            role, speaker = bytearray(), "frame"
        elif token == END_ID:
            role, speaker = None, "frame"
        elif role is not None and speaker == "frame" and token == 10:
            speaker = role.decode("utf-8", "replace")
        elif role is not None and speaker == "frame":
            role.append(token)
    return speakers


def _next_targets(ids: Sequence[int]) -> list[int]:
    speakers = _speakers(ids)
    said = [token if who == "assistant" else NO_TARGET for who, token in zip(speakers, ids)]
    return [*said, NO_TARGET][1:]


def _target_cases(random: Random) -> Iterator[Case]:
    yield Case("an empty row", ([],))
    plain = ["Hi", " ", "é", "\n"]
    hostile = [*plain, "assistant\n", "4", "<|im_end|>", "<|im_start|>assistant\n"]
    cases = []
    for size in range(1, 8):
        number = 1 + size // 3
        answer = {"role": "assistant", "content": draw_text(random, plain, size) or "4"}
        question = {"role": "user", "content": draw_text(random, plain, size)}
        both = draw_talk(random, ["user", "assistant"], number, plain, size)
        quoting = draw_talk(random, ["assistant", "user"], number, hostile, size)
        similar = draw_talk(random, ["assistants", "an assistant", "Assistant"], number, plain, size)
        cases += [
            Case("a question and an answer", (_byte_ids([question, answer]),)),
            Case("several answers", (_byte_ids([*both, answer, question, answer]),)),
            Case("an answer without a word", (_byte_ids([question, answer | {"content": ""}]),)),
            Case("markers quoted as text", (_byte_ids([*quoting, answer]),)),
            Case("roles that are similar", (_byte_ids(similar),)),
            Case("a row that breaks off", (_byte_ids([question, answer])[: -random.randint(1, 14)],)),
            Case("a row that begins in the middle", (_byte_ids([answer, question, answer])[2 + size :],)),
        ]
    yield from sorted(cases, key=lambda case: len(case.args[0]))


EXERCISE = Exercise(
    key="05.next_targets",
    title="What the model should say next",
    kind="write",
    difficulty=3,
    minutes=20,
    points=2,
    hints=(
        "There are two questions, one after the other. Which ids does the assistant say? And at which "
        "position is each of them the answer to “what comes next”?",
        "walk along the ids and keep track of where you are: outside, in a role (collect its bytes up to "
        "the line feed), or in a content (up to and including the end mark). Keep the assistant's ids and"
        " replace the others with -100; then move everything one position to the left and put -100 at the"
        " end",
        "Lesson 05, on chats: only the ids that the assistant has to produce count in training.",
    ),
    wanted=_next_targets,
    shown=(
        Case("a question and an answer", (_byte_ids([{"role": "assistant", "content": "4"}]),)),
        Case("a question and an answer", (_byte_ids([{"role": "user", "content": "?"}]),)),
        Case("an answer without a word", (_byte_ids([{"role": "assistant", "content": ""}]),)),
    ),
    drawn=_target_cases,
    mistakes=(
        Mistake(
            "not-shifted",
            "These are the ids that the assistant says, each at its own place. At place t the model has to predict "
            "the id at t + 1.",
            like=edited(_next_targets, ("[*said, NO_TARGET][1:]", "said")),
        ),
        Mistake(
            "never-learns-to-stop",
            "The assistant has to say the end mark after its answer; without it, it never stops.",
            like=edited(_next_targets, ("token if", "token if token != END_ID and")),
        ),
        Mistake(
            "every-end-counts",
            "Only the end mark after an answer counts. The chat program writes the others.",
            like=edited(_next_targets, ("token if", "token if token == END_ID or")),
        ),
        Mistake(
            "line-feed-counts",
            "The line feed after the end mark is part of the frame: by then the model has stopped.",
            like=edited(
                _next_targets,
                ('who == "assistant"', '"assistant" in (who, before)'),
                ("who, token in zip(speakers,", 'who, before, token in zip(speakers, ["frame", *speakers],'),
            ),
        ),
        Mistake(
            "everybody-counts",
            "Users and systems speak too, and the model should not learn to speak for them.",
            like=edited(_next_targets, ('== "assistant"', '!= "frame"')),
        ),
    ),
)
