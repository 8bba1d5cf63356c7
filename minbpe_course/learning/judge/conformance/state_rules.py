"""Rules about state: a tokenizer gives the same answer every time, and shares nothing with others or the caller."""

from __future__ import annotations

from random import Random

from minbpe_course.learning.judge.conformance import samples
from minbpe_course.learning.judge.conformance.candidate import Recipe
from minbpe_course.learning.judge.conformance.encoding_rules import same_ids
from minbpe_course.learning.judge.conformance.recipes import TRAINING_TEXT, beginning_of, trained
from minbpe_course.learning.judge.conformance.rule import FROM_RANKS, Broken, Exam, broken, rule, short, value_of
from minbpe_course.learning.judge.equality import same, shown


@rule(
    "same-twice",
    "The same text has the same ids, later, in another order, and from a tokenizer made the same way",
    "A cache that is wrong once is wrong for ever after.",
)
def same_twice(exam: Exam, dice: Random) -> None:
    def ids_or_none(recipe: Recipe, text: str) -> list[int] | None:
        try:
            return exam.encode(recipe, text)
        except Broken:  # other rules are about texts without ids
            return None

    texts = [*samples.prose(dice, 4, 80), *samples.mixed(dice, 12), "", "a"]
    first = [ids_or_none(exam.usual, text) for text in texts]
    again = Recipe(f"{exam.usual.key}, made anew", exam.usual.how, exam.usual.arguments)
    for recipe, how in ((exam.usual, "a second time"), (again, "by a second one, made the same way")):
        for at in reversed(range(len(texts))):
            ids = ids_or_none(recipe, texts[at])
            if ids != first[at]:
                broken(f"encode({short(texts[at])}) {how}", shown(ids), f"{shown(first[at])}, as before")


@rule(
    "tokenizers-apart",
    "Two tokenizers of one class don't affect each other",
    "A dict in the class, or as a default argument, belongs to all of them.",
    FROM_RANKS,
)
def tokenizers_apart(exam: Exam, dice: Random) -> None:
    one, other = beginning_of("gpt2", 2_000), beginning_of("cl100k_base", 2_000)
    texts = list(samples.prose(dice, 3, 60))
    for recipe in (one, other, one):
        same_ids(exam, recipe, texts, f" with {recipe.key}, after others were made")
    if "train" in exam.candidate.abilities:
        exam.candidate.ask(trained(TRAINING_TEXT, 262), "encode", texts[0])
        same_ids(exam, one, texts, f" with {one.key}, after another one was trained")


@rule(
    "arguments-kept",
    "The lists and dicts you pass in are unchanged afterward",
    "A decoder that pops ids takes them from its caller.",
)
def arguments_kept(exam: Exam, dice: Random) -> None:
    ids = exam.encode(exam.usual, "low lower lowest")
    outcome = exam.candidate.ask(exam.usual, "decode", list(ids))
    _, after = value_of(outcome, f"decode({ids})", "a text")
    if not same(after, ids):
        broken(f"the list given to decode, {ids}, afterwards", shown(after), shown(ids))
    if exam.usual.how == "itself":
        return
    made = exam.candidate.make(exam.usual, "arguments")
    if not same(value_of(made, f"{exam.usual.how}(...)", "a tokenizer"), exam.usual.arguments):
        broken(f"the arguments given to {exam.usual.how}, afterwards", "changed", "as they were")
