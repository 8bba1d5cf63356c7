"""Exercise 02.fair_merges: merges for several languages, judged by the language that gains least.

The learner gets much text in one language and little in three others. The metric uses text that the learner's function
has not seen, in the same languages. It is the number of bytes per id in the language where that is lowest, compared
with plain training on all texts together.

The shown texts are real. All others are in languages that are invented for the draw, in letters from anywhere in
Unicode, so no list of merges prepared in advance fits them.
"""

from collections import Counter

from minbpe_course.corpus.texts import course_sections
from minbpe_course.learning import Case, Exercise, edited
from minbpe_course.learning.exercises.invented_language import InventedLanguage
from minbpe_course.learning.judge.equality import same, shown


def fair_merges(texts, number):
    """Return at most number merges that serve the language that is worst off.

    In the lesson, a tokenizer trained on English saved almost nothing on Tamil. Can one small vocabulary serve several
    languages when there is a lot of text in one of them and little in the others? This is an open question, and it has
    more than one right answer.

    * **In:** `texts`, a dict from language to text (`bytes`): 2,000 characters of one language in Latin letters, and
      150 characters of each of three others in other scripts; `number`, how many merges are allowed.
    * **Out:** at most `number` merges, a dict from pair to new id as `learn_merges` returns it: 256, 257, and so on.

    We apply your merges to *other* texts in the same languages, and measure how many bytes one id stands for in the
    language **that is worst off**. Plain training on all the texts together is 100 %. You earn two points for 103 % and
    all four for 105 %, on average over several choices of languages. For example, `{(97, 98): 256}` is a valid answer
    for every input, but a bad one. The first texts are real. All the others are in languages that are invented for the
    check, so merges prepared in advance won't help.

    Here is the result of plain training, on texts like those you will get:
    """
    # With one character per id, str.replace does the merging and Counter the counting.
    now = {language: data.decode("latin-1") for language, data in texts.items()}
    chosen = {}
    for new_id in range(256, 256 + number):
        poorest = min(now, key=lambda language: len(texts[language]) / len(now[language]))
        counts = Counter(zip(now[poorest], now[poorest][1:]))
        if not counts:
            break
        (left, right), _ = counts.most_common(1)[0]
        chosen[ord(left), ord(right)] = new_id
        now = {language: text.replace(left + right, chr(new_id)) for language, text in now.items()}
    return chosen


MUCH, LITTLE, UNSEEN = 2000, 150, 400  # characters
MERGES = 30
CATEGORY = "much of one language, little of the others"


def fair_case(random):
    """Draw a case that holds other texts in the same languages, and what plain training reaches on them."""
    languages = [InventedLanguage(random)]
    for codes in (range(0x80, 0x7E0), range(0x800, 0xD7E0), range(0x800, 0xD7E0)):  # letters of two and three bytes
        first = random.choice(codes)
        languages.append(InventedLanguage(random, "".join(map(chr, range(first, first + 30)))))
    given, unseen = {}, []
    for language, length in zip(languages, (MUCH, LITTLE, LITTLE, LITTLE)):
        text = language.text(length + UNSEEN)
        given["".join(language.sentence())] = text[:length].encode("utf-8")
        unseen.append(text[length:].encode("utf-8"))
    return Case(CATEGORY, (given, MERGES), held=(unseen, least(unseen, plain(given, MERGES))))


def shown_texts():
    sections = course_sections()
    texts = {"English": list(sections.values())[1].partition("\n\n")[2][:MUCH]}
    for language in ("Greek", "Georgian", "Hindi"):
        texts[language] = sections[f"A morning in {language}"].partition("\n\n")[2][:LITTLE]
    return {language: text.encode("utf-8") for language, text in texts.items()}


plain = edited(
    fair_merges,
    ("zip(now[poorest], now[poorest][1:])", "pair for text in now.values() for pair in zip(text, text[1:])"),
)


def least(unseen, merges):
    """Return the bytes per id in the text where they are fewest."""
    found = []
    for data in unseen:
        text = data.decode("latin-1")
        for (left, right), new_id in merges.items():
            text = text.replace(chr(left) + chr(right), chr(new_id))
        found.append(len(data) / len(text))
    return min(found)


def gain(case, merges):
    unseen, reached = case.held
    return least(unseen, merges) / reached


def percent_of_plain(cases, answers):
    # The shown case is not measured: an answer prepared for it proves nothing.
    gains = [gain(case, answer) for case, answer in zip(cases, answers, strict=True) if case.held]
    return 100 * sum(gains) / len(gains), None


def complaint(case, answer):
    if not isinstance(answer, dict):
        return f"a dict from pair to new id, as learn_merges returns it; yours is of type {type(answer).__name__}"
    if len(answer) > MERGES:
        return f"at most {MERGES} merges; yours are {len(answer)}"
    for new_id, (pair, yours) in enumerate(answer.items(), 256):
        if not same(yours, new_id):
            return f"the new ids 256, 257 and so on, in the order of the merges; yours has {shown(yours, 60)}"
        halves = pair if isinstance(pair, tuple) else ()
        if len(halves) != 2 or not all(type(half) is int and 0 <= half < new_id for half in halves):
            return f"for {new_id} a pair of two ids below it, bytes or merges made before; yours is {shown(pair, 60)}"
    return None


def cases(random):
    for _ in range(6):
        case = fair_case(random)
        while gain(case, fair_merges(*case.args)) < 1.06:  # of a good answer
            case = fair_case(random)
        yield case


EXERCISE = Exercise(
    "02.fair_merges",
    "A fair tokenizer",
    "design",
    answer=fair_merges,
    picture=r"""
from minbpe_course import BasicTokenizer
from minbpe_course.corpus.texts import course_sections
from minbpe_course.showing import compare_tokens

sections = course_sections()
texts = {name: sections[f"A morning in {name}"].split("\n\n")[1] for name in ("Greek", "Georgian", "Hindi")}
texts = {"English": sections["The Neighbours"].split("\n\n", 1)[1][:2000]} | texts
plain = BasicTokenizer().train("".join(texts.values()), vocab_size=256 + 30)
print({name: round(len(text.encode()) / len(plain.encode(text)), 2) for name, text in texts.items()}, "bytes per id")
compare_tokens({name: (plain.decode_tokens_bytes(plain.encode(text[:40])), None) for name, text in texts.items()})
""",
    difficulty=5,
    minutes=30,
    points=4,
    hints=(
        "Before each merge, find out which language is worst off, and choose a merge that helps this language.",
        "Lesson 02, section 6, shows what a merge buys, and why Tamil gains so little.",
        "repeat: for each text, bytes / ids so far; take the language where that is lowest; count the pairs of its "
        "text alone; merge the most frequent of them in all texts",
    ),
    shown=((CATEGORY, shown_texts(), MERGES),),
    drawn=cases,
    accept=complaint,
    measure=percent_of_plain,
    levels=((105.0, 4), (103.0, 2)),
    smaller_is_better=False,
    unit="% of plain training",
)
