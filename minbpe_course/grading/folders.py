"""Names for folders out of names of people: whatever an archive calls its owner, every system can keep the result."""

from __future__ import annotations

import hashlib
import itertools
import re
import unicodedata
from collections.abc import Container

LONGEST = 60
# Devices of Windows, and what the reports of a class are called themselves.
_TAKEN = {"con", "prn", "aux", "nul", "gradebook", "grades", "summary"}
_TAKEN |= {f"{kind}{digit}" for kind in ("com", "lpt") for digit in "0123456789"}


def folder_name(name: str, taken: Container[str] = ()) -> str:
    r"""Return a safe name for a folder: letters, digits, "_", "-" and inner dots, of a bounded length.

    taken : the names in use, in lower case. A name that had to be changed, or is in use, ends in a short hash of the
    original, so that two people never share a folder.

    >>> folder_name("ada_12"), folder_name("../../etc/passwd")
    ('ada_12', 'etc_passwd-3754d6cb')
    """
    plain = unicodedata.normalize("NFC", name)
    made = "".join(letter if letter.isalnum() or letter in "_-." else "_" for letter in plain)
    made = re.sub(r"_{2,}|\.{2,}", "_", made).strip("._-")[:LONGEST].rstrip("._-")
    harmless = made == plain and made.partition(".")[0].casefold() not in _TAKEN and made.casefold() not in taken
    if made and harmless:
        return made
    # Somebody may be called like somebody else's folder, on purpose; then the next one is taken.
    for turn in itertools.count():
        mark = hashlib.sha256(name.encode("utf-8", "surrogatepass") + b"\0" * turn).hexdigest()[:8]
        found = f"{made or 'learner'}-{mark}"
        if found.casefold() not in taken:
            break
    return found
