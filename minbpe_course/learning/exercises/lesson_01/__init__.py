r"""01 · UTF-8 basics: exercises

Here are eight exercises on [lesson 01](../notebooks/01_utf8_basics.ipynb): count characters without decoding, encode
and decode all of UTF-8 by hand, repair a cut that loses characters and write the test that catches it, decode text that
arrives in pieces, and design a code that beats UTF-8. The texts between them explain what the lesson leaves out.

In the tables, bytes are written in hexadecimal and separated by spaces: `c3 a9` means `b"\xc3\xa9"` in Python.
"""

from minbpe_course.learning import Code, Text

BLANKS = (
    "text_sizes",
    "split_characters",
    "decode_tokens",
    "hold_back",
)
NOTEBOOK = (
    "count_characters",
    "two_bytes",
    Text("""
## All four lengths, and half characters

You have the row for two bytes. This is the whole table; each `x` is a binary digit of the code point.

| code point | byte 1 | byte 2 | byte 3 | byte 4 |
|---|---|---|---|---|
| up to `U+007F` | `0xxxxxxx` | | | |
| up to `U+07FF` | `110xxxxx` | `10xxxxxx` | | |
| up to `U+FFFF` | `1110xxxx` | `10xxxxxx` | `10xxxxxx` | |
| up to `U+10FFFF` | `11110xxx` | `10xxxxxx` | `10xxxxxx` | `10xxxxxx` |

Dividing by 64 drops six binary digits. Python also has operators for that: `code >> 6` drops the last six digits,
`code & 0b111111` keeps only those six, and `0b10000000 | digits` puts the mark `10` in front.

UTF-16 writes characters above `U+FFFF` as two units, so it needs code points that mean "first half" and "second half".
There are 2,048 of them, from `U+D800` to `U+DFFF`, and they're called **surrogates**. They are never characters, and
UTF-8 has no form for them. But a Python string can hold one, for example from JSON that was cut inside an emoji.

For a character above `U+FFFF`, subtract `0x10000`: twenty binary digits are left. The high surrogate is `0xD800` plus
the first ten of them, and the low one is `0xDC00` plus the last ten. `tiktoken` repairs what it can: a high surrogate
directly before a low one becomes their character, and any other surrogate becomes `U+FFFD`
([issue 82](https://github.com/openai/tiktoken/issues/82)). The next cell shows the two halves of 👋.
"""),
    Code("""
units = "👋".encode("utf-16-be")
print(units[:2].hex(), units[2:].hex())
"""),
    "utf8_encode",
    "cut_before",
    "test_cut_before",
    Text("""
## Bytes that only look like UTF-8

Every byte may begin a character, continue one, or neither; thirteen values never occur. That isn't enough to reject
all invalid bytes: which bytes may *follow* a first byte? You can find out by asking every possible character. The next
cell prints the first bytes that don't allow every second byte from `80` to `bf`.
"""),
    Code("""
second = {}
for code in [*range(0x80, 0xD800), *range(0xE000, 0x110000)]:
    lead, follower = chr(code).encode("utf-8")[:2]
    low, high = second.get(lead, (0xFF, 0))
    second[lead] = min(low, follower), max(high, follower)
for lead, (low, high) in second.items():
    if (low, high) != (0x80, 0xBF):
        print(f"after {lead:x}: {low:x} to {high:x}")
"""),
    Text("""
After `e0` and `f0`, a smaller byte would give a number that fits into fewer bytes. Only the shortest form is allowed;
a longer one is called *overlong*. That's also why `c0` and `c1` never occur: they could only begin an overlong form of
an ASCII character. After `ed`, a larger byte would give a surrogate. After `f4`, it would give a number beyond the last
code point, `U+10FFFF`. [RFC 3629](https://www.rfc-editor.org/rfc/rfc3629) has the same four rows in its grammar.

It matters. `c0 af` would be an overlong slash. A web server that looks for the byte `2f` to keep people out of other
folders doesn't find it there, and if its decoder then makes a slash of `c0 af`, they get in. In 2000, Microsoft's web
server had this hole ([CVE-2000-0884](https://nvd.nist.gov/vuln/detail/CVE-2000-0884)).
"""),
    "utf8_decode",
    "stream_decoder",
    "encode_pages",
)
