"""Answers that search their process for calls that have not been made yet.

FUTURE      for the exercises whose objects are called again and again: (key, source), worth points only if the
            calls to come can be seen
AHEAD       for any function: brings back what it has found of other cases than its own
"""

from __future__ import annotations

# Every value of the process that can be reached: frames of all threads, what the collector knows, and what waits in
# a pipe or in the buffer of a file. ``found(kind)`` yields the values of a type, ``waiting()`` the bytes.
_SEARCH = """
import gc, io, os, sys, time

def _reachable():
    seen, todo = {}, []
    frames = [*sys._current_frames().values(), sys._getframe()]
    while frames:
        frame = frames.pop()
        if frame.f_back is not None: frames.append(frame.f_back)
        if frame.f_code.co_name not in ("_reachable", "found", "waiting"):
            todo += list(frame.f_locals.values())
    try: todo += gc.get_objects()
    except PermissionError: pass
    while todo and len(seen) < 400_000:
        value = todo.pop()
        if id(value) in seen: continue
        seen[id(value)] = value
        if isinstance(value, dict): todo += [*value.keys(), *value.values()]
        elif isinstance(value, (list, tuple, set, frozenset)): todo += list(value)
        elif hasattr(value, "__dict__") and type(value).__module__ not in ("builtins", "types"):
            try: todo += list(vars(value).values())
            except TypeError: pass
    return list(seen.values())

def found(kind):
    return [value for value in _reachable() if type(value) is kind]

def waiting():
    time.sleep(0.05)
    parts = []
    for value in found(io.BufferedReader):
        try:
            os.set_blocking(value.fileno(), False)
            parts.append(value.peek(1 << 16) or b"")
            parts.append(value.read(1 << 16) or b"")
            os.set_blocking(value.fileno(), True)
        except (OSError, ValueError): pass
    for number in range(3, 16):
        try:
            os.set_blocking(number, False)
            parts.append(os.read(number, 1 << 16))
        except OSError: pass
        try: os.set_blocking(number, True)
        except OSError: pass
    return b"".join(parts)
"""

FUTURE = {
    "a cache that knows which word comes last": (
        "09.word_cache",
        _SEARCH
        + """
class WordCache:
    def __init__(self, size):
        self.size, self.held, self.at, self.calls = size, [], 0, None
    def ask(self, word):
        if self.calls is None:
            self.calls = max((list(value) for kind in (list, tuple) for value in found(kind) if _script(value)),
                             key=len, default=[])
        self.at += 1
        if word in self.held: return None
        self.held.append(word)
        if len(self.held) <= self.size: return None
        coming = [args[0] for name, args in self.calls[self.at:]]
        gone = max(self.held, key=lambda held: coming.index(held) if held in coming else 1 << 30)
        self.held.remove(gone)
        return gone
def _script(value):
    return all(type(one) in (list, tuple) and len(one) == 2 and one[0] == "ask" for one in value)
""",
    ),
    "a stream that knows how it goes on": (
        "05.special_stream",
        _SEARCH
        + """
class SpecialStream:
    def __init__(self, specials):
        self.specials, self.text, self.given, self.at = specials, "", 0, 0
        self.whole = None
    def feed(self, chunk):
        if self.whole is None:
            scripts = [list(value) for kind in (list, tuple) for value in found(kind) if _script(value)]
            scripts = [script for script in scripts if script and script[0][1] == (chunk,)]
            script = max(scripts, key=len, default=[("feed", (chunk,))])
            self.whole = cut("".join(args[0] for name, args in script if name == "feed"), self.specials)
        self.text += chunk
        out = []
        while self.whole and self.given + len(self.whole[0]) <= len(self.text):
            out.append(self.whole.pop(0))
            self.given += len(out[-1])
        return out
    def finish(self):
        rest = cut(self.text[self.given:], self.specials)
        self.given = len(self.text)
        return rest
def cut(text, specials):
    out, begun, at = [], 0, 0
    while at < len(text):
        name = max((name for name in specials if text.startswith(name, at)), key=len, default="")
        if not name:
            at += 1
            continue
        if at > begun: out.append(text[begun:at])
        out.append(name)
        begun = at = at + len(name)
    if at > begun: out.append(text[begun:at])
    return out
def _script(value):
    return bool(value) and all(type(one) in (list, tuple) and len(one) == 2 and one[0] in ("feed", "finish")
               for one in value)
""",
    ),
}

AHEAD = (
    _SEARCH
    + """
CALLS = []
def signed(*args):
    CALLS.append(1)
    return waiting().decode("ascii", "replace") if len(CALLS) <= 4 else ""
"""
)
