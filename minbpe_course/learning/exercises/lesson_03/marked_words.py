"""Exercise 03.marked_words: repair a splitter that tears words apart at their marks."""

import unicodedata

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_03.samples import cases_by_category
from minbpe_course.learning.exercises.lesson_03.splitters import by_pattern


def marked_words(text):
    r"""Split text into words by the four rules above.

    This scanner was ported to a language without `\p{L}`, and from there to Python. It should split text as GPT-2 does,
    without the contractions, and with **all of Unicode's letters and marks wherever GPT-2 has letters**. Its author
    tried it on English, German, Russian and Chinese, and it worked. Then a report came in from Delhi: `हिन्दी`, the
    word for Hindi, is split into six words when it should be one. The same kind of bug has been reported in a published
    tokenizer.

    The rules are tried in this order, and the first that matches takes its word:

    1. an optional space, then one or more letters or marks
    2. an optional space, then one or more numbers
    3. an optional space, then one or more other characters: anything but letters, marks, numbers and whitespace
    4. whitespace; before a word it gives back its last character, unless that is the only one

    Find what is missing and repair it; the report shows only a part. Change as little as you can. (`regex` would make
    this too easy, so you can't import it when this answer is graded.)

    * **In:** `text`, a str. **Out:** the list of its words; joined, they are the text.

    Tried: Indian scripts, Thai, Hebrew and Arabic with vowel points, Japanese, accents without a letter, marks in odd
    places, and texts without any marks, which must give the same words as before.
    """

    def is_letter(character):
        ### BEGIN SOLUTION
        return unicodedata.category(character)[0] in "LM"
        ### INSTEAD
        # return unicodedata.category(character) in ("Lu", "Ll", "Lt", "Lo")
        ### END SOLUTION

    def kind(character):
        if is_letter(character):
            return "letter"
        if unicodedata.category(character).startswith("N"):
            return "number"
        return "whitespace" if character.isspace() else "other"

    found = []
    while text:
        kinds = [kind(character) for character in text[:2]]
        skip = int(text[0] == " " and kinds[-1] != "whitespace")
        size = skip
        while size < len(text) and kind(text[size]) == kinds[skip]:
            size += 1
        if kinds[skip] == "whitespace" and 1 < size < len(text):
            size -= 1
        found.append(text[:size])
        text = text[size:]
    return found


CASED, LETTERS = "Lu Ll Lt Lo", "Lu Ll Lt Lo Lm"
# GPT-2's pattern without contractions, and with marks wherever it has letters.
MARKS_PATTERN = r" ?[\p{L}\p{M}]+| ?\p{N}+| ?[^\s\p{L}\p{M}\p{N}]+|\s+(?!\S)|\s+"


def taking(letters):
    """Return the edit that takes these categories of Unicode for letters."""
    return (('category(character)[0] in "LM"', f"category(character) in {letters!r}.split()"),)


SCRIPTS = {
    "Hindi": "हिन्दी| सुबह| बारिश| हुई|क़| नमस्ते| में|१२३४|।",
    "Thai, Tamil and Burmese": "ภาษาไทย|วันนี้| ๆ|தமிழ்| மொழி|မြန်မာ| ကျေးဇူး|๑๒",
    "Hebrew and Arabic with vowel points": "שָׁלוֹם| בֹּקֶר|مَرْحَبًا| كِتَابٌ|٣|،| ",
    "letters that modify others": "コーヒー|々|人々|ʻokina| Hawaiʻi|tʰ| ʰʷ|スーパー|ゝ",
    "accents of their own": "e\u0301|te\u0301| n\u0303o|A\u030angstro\u0308m|Vie\u0323\u0302t|o\u0302",
    "marks that enclose": "a\u20dd|1\ufe0f\u20e3| \u0488|б\u0489|⚠\ufe0f|❤\ufe0f|x\u20e0",
    "marks without a letter": " \u0301|!\u0301|\n\u0301|1\u0301|\u0301|  \u093f|\u0e31",
    "no marks at all": "We| saw| 3|1234|!!| ?\n|\n\n|  |\t|don't|'|中文|Ǆ",
}


def cases(random):
    for text in ("3!!", " 3!", "a  ", "  a", " a ", " ", "   ", "\t ", "!  !"):
        yield "no marks at all", text
    yield from cases_by_category(random, SCRIPTS, (1, 2, 3, 4, 6, 9, 14))


EXERCISE = Exercise(
    "03.marked_words",
    "The port that works at home",
    "repair",
    answer=marked_words,
    picture="""
from minbpe_course.showing import compare_tokens

compare_tokens({"now": (["ह", "ि", "न", "्", "द", "ी"], None), "wanted": (["हिन्दी"], None)})
""",
    difficulty=3,
    minutes=15,
    hints=(
        "Write down the category of each character of the broken word, with unicodedata.category, and follow the loop.",
        "Lesson 03, on the marks in GPT-4o's pattern: no merge can join what was split before merging.",
        "which categories does \\p{L} stand for, and which does \\p{M} add? All that begin with L, or with M",
    ),
    wanted=by_pattern(MARKS_PATTERN),
    shown=(
        ("Hindi", "हिन्दी"),
        ("no marks at all", "We saw 1234 dogs!\n\n  They  ran"),
        ("accents of their own", "cafe\u0301 (ne\u0301e)"),
    ),
    drawn=cases,
    # Nearly right answers come first: answers that are further off also fail in cases where these are right.
    mistakes=(
        Mistake(
            "no-modifier-letters",
            "The marks are right. A category of letters is missing: print the categories of ʰ, and of ー in コーヒー.",
            like=taking(CASED + " Mn Mc Me"),
        ),
        Mistake(
            "no-enclosing-marks",
            "One category of marks is missing: those that enclose a letter, like the circle in a⃝.",
            like=taking(LETTERS + " Mn Mc"),
        ),
        Mistake(
            "no-enclosing-marks",
            "You take the marks of Hindi for letters now. One more category of marks is missing, and one of letters.",
            like=taking(CASED + " Mn Mc"),
        ),
        Mistake(
            "one-kind-of-mark",
            "You handle some marks, but not all: Unicode has three categories of marks, Mn, Mc and Me.",
            like=taking(LETTERS + " Mn"),
        ),
        Mistake(
            "isalpha",
            "Your letters are those of category L, like `isalpha`. A vowel sign is a mark, category M.",
            like=taking(LETTERS),
        ),
        Mistake(
            "composes",
            "You change the text. And most scripts have no composed form: Hindi is still split.",
            like=(*taking(CASED), ("    found = []", '    text, found = unicodedata.normalize("NFC", text), []')),
        ),
    ),
)
