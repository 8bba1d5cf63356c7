"""Exercise 04.byte_alphabet: work out the printable characters of the bytes from their order."""

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.text.byte_alphabet import PRINTABLE_ORDER, printable_bytes


def byte_alphabet(order):
    r"""Return byte -> character for the bytes in the order of their ids.

    In the lesson, the alphabet of printable bytes explained the order of the ids. Now work backward: you get only the
    order, and you reconstruct the alphabet.

    The author of the alphabet called some bytes visible and listed them first, in ascending order; each one is shown as
    itself, `chr(byte)`. After them come the hidden bytes, again in ascending order. The first hidden byte borrows the
    character U+0100, the next one U+0101, and so on. Nothing says where the visible bytes end, but you can see it: that
    is where the bytes stop ascending.

    * **In:** `order`, the bytes (numbers) in the order of their ids. If they ascend to the end, no byte is hidden.
    * **Out:** a dict from byte to character.

    ```
    byte_alphabet([65, 97, 10, 32])   ->  {65: 'A', 97: 'a', 10: 'Ā', 32: 'ā'}
    byte_alphabet([7, 8, 9])          ->  {7: '\x07', 8: '\x08', 9: '\t'}
    ```

    Tried: a few bytes, gaps in an ascending order, no hidden bytes, no bytes, GPT-4's order, and orders by authors who
    chose other bytes. So derive the alphabet from `order`; don't write down GPT-2's.
    """
    descents = [place for place in range(1, len(order)) if order[place] < order[place - 1]]
    visible = descents[0] if descents else len(order)
    themselves = {byte: chr(byte) for byte in order[:visible]}
    borrowers = {byte: chr(0x100 + number) for number, byte in enumerate(order[visible:])}
    return themselves | borrowers


def cases(random):
    yield "no bytes", []
    yield "nothing is hidden", sorted(random.sample(range(256), 5))
    for size in range(2, 14):
        known = sorted(random.sample(range(256), size))
        hidden = set(random.sample(known[:-1], random.randint(1, size - 1)))
        yield "a few bytes", sorted(known, key=lambda byte: byte in hidden)
    for number in (1, 2, 5, 40, 100, 200):
        hidden = set(random.sample(range(255), number))
        category = "all 256, one hidden" if number == 1 else "all 256, another choice of hidden bytes"
        yield category, sorted(range(256), key=lambda byte: byte in hidden)
    yield "all 256, GPT-4's order", list(PRINTABLE_ORDER)


EXERCISE = Exercise(
    "04.byte_alphabet",
    "The alphabet behind the order",
    "write",
    answer=byte_alphabet,
    difficulty=2,
    minutes=15,
    points=2,
    hints=(
        "Follow the order with a finger. The bytes ascend, except at one place. What begins there?",
        "Lesson 04 shows where the shuffle comes from: it goes from the alphabet to the order. You go back.",
        "visible = the first place at which order[place] < order[place - 1], or len(order) when there is none; before "
        "it chr(byte), from it on chr(256 + place - visible)",
    ),
    shown=(
        ("a few bytes", [65, 97, 10, 32]),
        ("a gap that is not a descent", [33, 34, 120, 0]),
        ("nothing is hidden", [7, 8, 9]),
        ("no bytes", []),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "borrows-by-byte",
            "Hidden bytes borrow characters one after another, without gaps: the first of them gets U+0100.",
            like=("0x100 + number", "0x100 + byte"),
        ),
        Mistake(
            "borrows-by-id",
            "You count borrowed characters from the beginning of the order. Count from the first hidden byte.",
            like=("0x100 + number", "0x100 + visible + number"),
        ),
        Mistake(
            "gap-for-descent",
            "A gap does not end the visible bytes: after ~ (126) GPT-2 continues with ¡ (161). Look for a descent.",
            like=("< order[place - 1]", "!= order[place - 1] + 1"),
        ),
        Mistake(
            "hides-the-last-visible",
            "The byte right before the descent is the last visible one, and yours hides it.",
            like=("descents[0]", "descents[0] - 1"),
        ),
        Mistake(
            "hides-all-without-a-descent",
            "If nothing descends, nothing is hidden. Where do you put the border if you find no descent?",
            like=("else len(order)", "else 0"),
        ),
        Mistake(
            "hides-one-byte",
            "After the descent the bytes ascend again, and are hidden all the same.",
            like=(
                ("[visible:]", "[visible : visible + 1]"),
                ("return themselves", "return dict(zip(order, map(chr, order)))"),
            ),
        ),
        Mistake(
            "gpt2-always",
            "That is GPT-2's alphabet, whatever the order is. Another tokenizer may have other visible bytes.",
            like=lambda order: {byte: printable_bytes()[byte] for byte in order},
        ),
        Mistake(
            "nothing-hidden",
            "Here every byte stands for itself. Those after the descent borrow characters from U+0100 on.",
            like=lambda order: {byte: chr(byte) for byte in order},
        ),
    ),
)
