"""Inputs for the tests: hostile text, made from a seed, and a few texts with names."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from importlib.resources import files

MISTRAL = str(files("mistral_common") / "data" / "tokenizer.model.v1")
WHITESPACE = " \t\n\r\x0b\x0c\x85\xa0\u1680\u2000\u2003\u2009\u2028\u2029\u202f\u205f\u3000\u200b\ufeff"
CONTRACTIONS = [
    "'s", "'T", "'LL", "'lL", "'Ve", "'re", "'M", "'d", "\u2019s", "'\u017f", "'ſ", "'x", "''", "'l", "'v", "'r",
]  # fmt: skip
WORDS = [
    "the", "Hello", "HELLO", "iPhone", "naïve", "Straße", "ǅungla", "don", "I", "we", "Ǆ", "ʰa", "中文字", "日本",
    "한국어", "Привет", "कखगि", "நிலை", "ไทยภาษา", "שלום", "مرحبا", "Ελλάδα", "ªº", "Ⅷ", "x", "_", "foo_bar",
]  # fmt: skip
EMOJI = ["👋", "👩‍👩‍👧‍👦", "🏳️‍🌈", "🇩🇪🇯🇵", "👍🏽", "1️⃣", "❤️", "☺", "\U000e0067"]
PUNCTUATION = [
    "!", "...", "//", "/*", "*/\n", "->", "<|", "|>", "<|endoftext|>", "#", "$", "'", '"', "\\", "/", "—", "。",
    "«", "\n/", "!\n/\n",
]  # fmt: skip
DIGITS = ["1", "12", "123", "1234", "12345678", "٣٤٥٦", "½", "Ⅳ", "०१२३", "𝟙𝟚𝟛𝟜", "²³", "3.14", "1,000"]
COMBINING = ["e\u0301", "\u0301", "a\u0308\u0323", "\u20dd", "ि", "\u3099", "Z\u0361z"]


def any_scalar(rng: random.Random) -> str:
    """Return a random code point of any plane, never a surrogate."""
    while True:
        point = rng.choice(
            [rng.randrange(0x80), rng.randrange(0x3000), rng.randrange(0x10000), rng.randrange(sys.maxunicode + 1)]
        )
        if not 0xD800 <= point <= 0xDFFF:
            return chr(point)


def hostile_text(rng: random.Random, pieces: int = 12, surrogates: bool = False) -> str:
    """Return a short text of everything that is hard for tokenizers; ``surrogates`` includes lone and paired ones."""
    parts = []
    for _ in range(rng.randint(0, pieces)):
        kind = rng.randrange(11 if surrogates else 10)
        if kind == 0:
            parts.append(
                "".join(
                    rng.choice(WHITESPACE[:4] if rng.random() < 0.7 else WHITESPACE) for _ in range(rng.randint(1, 6))
                )
            )
        elif kind == 1:
            parts.append(" ")
        elif kind == 10:
            parts.append(rng.choice(["\ud800", "\udc00", "\ud83d\udc4b", "\udfff\ud800", "\ud83d"]))
        elif kind == 9:
            parts.append("".join(any_scalar(rng) for _ in range(rng.randint(1, 5))))
        elif kind == 8:
            parts.append(rng.choice("abcXYZ019 '\n.") * rng.randint(1, 30))
        else:
            table = [CONTRACTIONS, WORDS, EMOJI, PUNCTUATION, DIGITS, COMBINING][kind - 2]
            parts.append(rng.choice(table))
    return "".join(parts)


def hostile_texts(seed: int, number: int, surrogates: bool = False) -> list[str]:
    """Return hostile texts, the same for the same seed."""
    rng = random.Random(seed)
    return [hostile_text(rng, surrogates=surrogates) for _ in range(number)]


LONG = {
    "one letter": "x" * 1_000_000,
    "blanks": " " * 100_000,
    "two letters in turn": "ab" * 100_000,
    "Chinese without a blank": "的一是不了人我在有他这为之大来以个中上们" * 3_000,
    "newlines": "\n" * 50_000,
    "digits": "1234567890" * 10_000,
    "hashes": "#" * 100_000,
}


# ---- Texts of every kind, by the hundred thousand

# Characters of scripts, and the hardest of each kind.
ALPHABETS = (
    "abcdefghijklmnopqrstuvwxyz",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "0123456789",
    " \t\n\r",
    " ",
    "\n ",
    WHITESPACE,
    "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
    "'’ʼ‘`´sStTdDmMlLrRvVeEſK",
    "äöüßéèñçøåÆŁžőΣσςΩабвгжщѣЀҐїԱաგაⴀ",
    "ǅǄǆᾈᾼʰʻˇªºⅧⅷⓐ",
    "的一是不了人我在有他这为之大来以个中上们東京温故知新，。、「」　々〆",
    "あいうえおカキクケコーｶﾞヴゝ",
    "한국어안녕하세요가각힣각ㄱ",
    "कखगघकि्ाींःकामखाना०१२।",
    "தமிழ்நிலைகூడితెలుగుಕನ್ನಡമലയാളം",
    "ไทยภาษาสวัสดีครับำเแโ๑๒๓ລາວខ្មែរမြန်မာ",
    "שלוםעִברִית׳״",
    "مرحبابالعالمَُِّٰ٣٤٥٦ـ،؟",
    "👋👩\u200d👧🏳️\u200d🌈🇩🇪🇯🇵👍🏽1️⃣❤️☺\U000e0067\U000e007f",
    "\u0300\u0301\u0308\u0323\u20dd\u3099\u200b\u200c\u200d\u2060\ufeff\ufe0f",
    "½¼²³¹٣४৩Ⅳ〇㊅①𝟙𝟚𐒠",
    "\x00\x01\x07\x08\x0b\x0c\x1b\x1c\x1f\x7f\x80\x85\x9f\xa0\xad",
    "\u07ff\u0800\uffff\ufffd\ufffe\U00010000\U0001ffff\U00020000\U0010ffff\ud7ff\ue000",
    "ÀÿĀſƀɏԀ԰፿ℵ⁠Ⱡ㐀䶿一鿿ꀀ가힣豈ﷺ",
)
CODE = (
    "def f(x):\n    return x + 1\n", "for (int i = 0; i < n; ++i) {\r\n\t\ta[i] = b[i] * 2;\r\n\t}\r\n",
    "import numpy as np\n\n\n", 'printf("%d\\n", x_1);', "<div class='a'>it's</div>",
    "http://example.org/a/b?c=1&d=%20#e", "/* don't */ // we'll\n", "        self._x = {'k': [1, 2.50, 0xFF]}\n",
    "SELECT * FROM t WHERE a<>'b';--\n", "x=1;y=22;z=333;w=4444;v=55555\n", "#include <a.h>\n\n#ifdef __X__\n",
    "CamelCaseAndHTTPServerID2Name", "snake_case_and_more__dunder__", "…—–«»“”‘’•→≠≤\n", "<|endoftext|>",
    "\\begin{x}$\\alpha_1^{23}$\\end{x}",
)  # fmt: skip
STEMS = ("I", "we", "DON", "don", "it", "e\u0301", "中", "Ǆ", "x1", "a b", "", " ", "!", "\n", "'", "ß", "न")
ENDINGS = (
    "s", "t", "d", "m", "ll", "ve", "re", "l", "v", "r", "lle", "LL", "Ve", "rE", "S", "ſ", "ſt", "K", "é", "",
    " ",
)  # fmt: skip
APOSTROPHES = ("'", "'", "'", "’", "ʼ", "''", "' ")


def _of_alphabets(rng: random.Random) -> str:
    chosen = "".join(rng.choices(ALPHABETS, k=rng.choice((1, 1, 2, 2, 3, 5))))
    return "".join(rng.choices(chosen, k=rng.choice((1, 2, 3, 5, 9, 17, 33, 70))))


def _of_runs(rng: random.Random) -> str:
    return "".join(rng.choice(rng.choice(ALPHABETS)) * rng.choice((1, 1, 2, 3, 4, 7, 16, 40)) for _ in range(5))


def _of_code(rng: random.Random) -> str:
    return "".join(rng.choices(CODE, k=rng.randint(1, 4)))[rng.randrange(8) :]


def _of_contractions(rng: random.Random) -> str:
    return "".join(
        rng.choice(STEMS) + rng.choice(APOSTROPHES) + rng.choice(ENDINGS) + rng.choice(("", "", " ", "x", "中", "\n"))
        for _ in range(rng.randint(1, 5))
    )


def _of_words(rng: random.Random) -> str:
    between = rng.choice((" ", " ", "", "\n", "  ", "-", "\u3000", ", "))
    tables = (WORDS, WORDS, DIGITS, EMOJI, PUNCTUATION, CONTRACTIONS)
    return between.join(rng.choice(rng.choice(tables)) for _ in range(rng.randint(1, 12)))


def _of_scalars(rng: random.Random) -> str:
    return "".join(any_scalar(rng) for _ in range(rng.randint(1, 12)))


def _at_a_border(rng: random.Random) -> str:
    """Return a hard text after 45 to 70 bytes: where a window of 64 bytes ends."""
    filler = rng.choice(("x", "word ", "中文", "1234 ", "a b", " ", "é", "x, ", "\n", "Ab"))
    ahead = (filler * 70).encode()[: rng.randint(45, 70)].decode("utf-8", "ignore")
    return ahead + rng.choice(KINDS[:4])(rng)


KINDS: tuple[Callable[[random.Random], str], ...] = (
    _of_alphabets, _of_runs, _of_contractions, _of_words, _of_code, _of_scalars, _at_a_border, hostile_text,
)  # fmt: skip


def mixed_texts(seed: int, number: int) -> Iterator[str]:
    """Yield ``number`` texts without surrogates, the same for the same seed."""
    rng = random.Random(seed)
    for _ in range(number):
        yield "".join(rng.choice(KINDS)(rng) for _ in range(rng.choice((1, 1, 1, 2, 3))))
