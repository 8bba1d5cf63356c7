"""Exercise 12.test_format: file formats as source text, four right ones and ten that lose something.

Each source defines ``save_and_load(model)``, which writes a model and reads it back. A model is a dict: merges (a list
of pairs of ids), pattern (a str), special_tokens (a dict from str to id).
"""

from minbpe_course.learning import Exercise, mutant


def test_format(save_and_load):
    """Raise AssertionError if a model does not come back unchanged.

    A new file format for models passes a test with one friendly model. Write the test with the unfriendly ones.

    A model is a dict with three keys: `"merges"`, a list of pairs (tuples) of ids from 0 to 2,000,000,000, in an order
    that matters; `"pattern"`, a str; `"special_tokens"`, a dict from str to an id in the same range. Any str is
    allowed, even one with half a surrogate pair in it (though never with two halves side by side), except that a
    special token is never empty.

    * **In:** `save_and_load`, a function. It writes a model as bytes, reads them again, and returns the model it has
      read.
    * **Out:** nothing if the format is correct, `AssertionError` if some model comes back changed (a plain `assert`
      will do; an error raised by the format counts as well).

    Your test is run on four correct formats and on ten that lose something. It runs several times on each, and its
    verdict must not change. Catching all ten earns 3 points, five to nine earn 1.
    """
    unkind = [
        "",
        " ",
        "  a b ",
        "\t",
        "\n",
        "a\r\nb\r",
        "\\n",
        "a\x85b\u2028c\x0c",
        "\ud800x",
        "e\u0301",
        "\u00e9",
        "%d",
        "'\"",
    ]
    for number, odd in enumerate(unkind):
        model = {
            "merges": [(104, 101), (97, 98), (70_000 + number, 1_999_999_999), (97, 99)],
            "pattern": odd,
            "special_tokens": {odd + "|": 0, "<" + odd + ">": 66_000 + number},
        }
        assert save_and_load(model) == model, odd
    nothing = {"merges": [], "pattern": "a", "special_tokens": {}}
    assert save_and_load(nothing) == nothing


JSON = """
import json

def save(model):
    return json.dumps(model).encode("ascii")

def load(data):
    model = json.loads(data)
    model["merges"] = [tuple(pair) for pair in model["merges"]]
    return model

def save_and_load(model):
    return load(save(model))
"""

PYTHON = """
import ast

def save_and_load(model):
    data = ascii(model).encode("ascii")
    return ast.literal_eval(data.decode("ascii"))
"""

BINARY = """
import struct

def save(model):
    parts = [struct.pack("<I", len(model["merges"]))]
    for left, right in model["merges"]:
        parts.append(struct.pack("<II", left, right))
    for text, number in [(model["pattern"], 0), *model["special_tokens"].items()]:
        raw = text.encode("utf-8", "surrogatepass")
        parts.append(struct.pack("<II", len(raw), number) + raw)
    return b"".join(parts)

def load(data):
    (count,), at, merges, texts = struct.unpack_from("<I", data), 4, [], []
    for _ in range(count):
        merges.append(struct.unpack_from("<II", data, at))
        at += 8
    while at < len(data):
        size, number = struct.unpack_from("<II", data, at)
        texts.append((data[at + 8 : at + 8 + size].decode("utf-8", "surrogatepass"), number))
        at += 8 + size
    return {"merges": merges, "pattern": texts[0][0], "special_tokens": dict(texts[1:])}

def save_and_load(model):
    return load(save(model))
"""

# A line format that escapes only what it must; each mutant of it forgets something else.
TRUSTING = """
def save(model):
    specials = model["special_tokens"]
    lines = [model["pattern"], str(len(specials)), *("%d %s" % (n, text) for text, n in specials.items())]
    lines = [line.replace("\\\\", "\\\\\\\\").replace("\\n", "\\\\n").replace("\\r", "\\\\r") for line in lines]
    lines += ["%d %d" % tuple(pair) for pair in model["merges"]]
    return "\\n".join([*lines, ""]).encode("utf-8", "surrogatepass")

def load(data):
    def plain(line):
        parts = line.split("\\\\\\\\")
        return "\\\\".join(part.replace("\\\\n", "\\n").replace("\\\\r", "\\r") for part in parts)

    lines = data.decode("utf-8", "surrogatepass").split("\\n")[:-1]
    count = int(lines[1])
    specials = {}
    for line in lines[2 : 2 + count]:
        number, _, text = line.partition(" ")
        specials[plain(text)] = int(number)
    merges = [tuple(map(int, line.split(" "))) for line in lines[2 + count :]]
    return {"merges": merges, "pattern": plain(lines[0]), "special_tokens": specials}

def save_and_load(model):
    return load(save(model))
"""

MUTANTS = (
    mutant(TRUSTING, "strips", "drops spaces at the ends of a pattern", ("plain(lines[0])", "plain(lines[0]).strip()")),
    mutant(
        TRUSTING,
        "splits",
        "splits a special token at its spaces",
        ('number, _, text = line.partition(" ")', "number, text = line.split()[:2]"),
    ),
    mutant(TRUSTING, "line-breaks", "loses a line break", ('.replace("\\n", "\\\\n")', '.replace("\\n", " ")')),
    mutant(
        JSON,
        "translates",
        "reads every line end as a line feed",
        ("json.dumps(model)", 'json.dumps(model).replace("\\\\r\\\\n", "\\\\n").replace("\\\\r", "\\\\n")'),
    ),
    mutant(
        TRUSTING, "many-lines", "treats other characters as the end of a line", ('.split("\\n")[:-1]', ".splitlines()")
    ),
    mutant(
        BINARY,
        "replaces",
        "replaces half a surrogate pair",
        ('encode("utf-8", "surrogatepass")', 'encode("utf-8", "replace")'),
    ),
    mutant(BINARY, "two-bytes", "stores an id in two bytes", ("left, right))", "left & 65535, right))")),
    mutant(JSON, "once", "sorts the merges", ('in model["merges"]]', 'in sorted(map(tuple, model["merges"]))]')),
    mutant(
        BINARY,
        "empty",
        "drops the special token with id 0",
        ("dict(texts[1:])", "{text: number for text, number in texts[1:] if number}"),
    ),
    mutant(
        JSON,
        "composes",
        "writes composed characters for decomposed ones",
        ("import json", "import json\nimport unicodedata"),
        (
            'model["merges"] = [',
            'model["pattern"] = unicodedata.normalize("NFC", model["pattern"])\n    model["merges"] = [',
        ),
    ),
)

EXERCISE = Exercise(
    "12.test_format",
    "Formats that forget",
    "test",
    answer=test_format,
    difficulty=4,
    minutes=20,
    points=3,
    hints=(
        "Write models that are as awkward as possible: what could a pattern contain, or the text of a special token, "
        "or a pair of ids?",
        "Lesson 12: every trap there is one of the ten.",
        "for every awkward model: assert that save_and_load(model) == model; include spaces at the ends, all kinds of "
        "line ends, half a surrogate pair, decomposed letters, the id 0, ids above 65,535, and merges that are not "
        "sorted",
    ),
    subject="save_and_load",
    right=(JSON, PYTHON, BINARY, TRUSTING),
    mutants=MUTANTS,
)
