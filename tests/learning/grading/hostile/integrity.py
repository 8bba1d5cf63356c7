"""Answers that want points without an answer: by patches, by a search, by an import.

``tests/learning/judge/test_plain_values.py`` has the values that lie, and ``worthless_answers`` the constants.
"""

from __future__ import annotations

from tests.learning.grading.hostile import answers

_ANSWERS = {
    "a list that is equal to everything": """
class Equal(list):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __len__(self): return 0
def merge(ids, pair, new_id): return Equal()
""",
    "a class that lies about what it is": """
class Meta(type):
    def __eq__(cls, other): return True
    def __hash__(cls): return hash(list)
    def __instancecheck__(cls, other): return True
    def __subclasscheck__(cls, other): return True
class Liar(metaclass=Meta):
    __class__ = list
    def __eq__(self, other): return True
def merge(ids, pair, new_id): return Liar()
""",
    "an array that is equal to everything, of a module that calls itself numpy": """
fake = types.ModuleType("numpy")
class ndarray:
    def __eq__(self, other): return True
    def tolist(self): return Anything()
class Anything:
    def __eq__(self, other): return True
fake.ndarray, fake.integer, fake.floating, fake.bool_, fake.generic = (ndarray,) * 5
sys.modules["numpy"] = fake
def merge(ids, pair, new_id): return ndarray()
""",
    "an object that runs code when it is unpickled": """
class Bomb:
    def __reduce__(self):
        return (open, ("@CANARY@/pickled", "w"))
    def __eq__(self, other): return True
def merge(ids, pair, new_id): return Bomb()
""",
    "builtins replaced by ones that agree": """
for name in ("all", "any", "isinstance", "issubclass", "hasattr", "callable"):
    setattr(builtins, name, lambda *args: True)
builtins.len = lambda value: 0
builtins.sorted = lambda *args, **kwargs: []
builtins.type = lambda value: list
def merge(ids, pair, new_id): return []
""",
    "json patched to write something else": """
json.dumps = lambda *args, **kwargs: '{"d": [["id", 1], ["state", "value"], ["value", []]]}'
json.loads = lambda *args, **kwargs: {}
def merge(ids, pair, new_id): return []
""",
    "every function of the process patched": """
def always(*args, **kwargs): return True
for found in gc.get_objects():
    if isinstance(found, types.FunctionType) and found.__name__ in ("plain", "same", "judge", "agree", "_plain"):
        found.__code__ = always.__code__
def merge(ids, pair, new_id): return []
""",
    "frames searched for what is expected": """
    frame = sys._getframe()
    while frame is not None:
        for space in (frame.f_locals, frame.f_globals):
            for name, value in list(space.items()):
                if any(word in name.lower() for word in ("want", "expect", "answer", "reference", "right")):
                    if isinstance(value, list):
                        return value
        frame = frame.f_back
    return []""",
    "memory searched for what is expected": """
    seen = [value for value in gc.get_objects() if type(value) is list and value and all(type(i) is int for i in value)]
    seen = [value for value in seen if new_id in value and value is not ids]
    return max(seen, key=len, default=[])""",
    "the reference, by an import from the checkout": """
sys.meta_path = [finder for finder in sys.meta_path if type(finder).__name__ not in ("Pretended", "Packages")]
for name in [name for name in sys.modules if name.startswith("minbpe_course")]:
    del sys.modules[name]
sys.path.insert(0, "@CHECKOUT@")
def merge(ids, pair, new_id):
    from minbpe_course.reference.pairs import merge_pair
    return merge_pair(ids, pair, new_id)
""",
    "the reference, from the packages that are installed": """
import glob, os, sys, sysconfig
sys.meta_path = [finder for finder in sys.meta_path if type(finder).__name__ not in ("Pretended", "Packages")]
sys.path += [sysconfig.get_path("purelib"), *glob.glob(os.path.dirname(os.__file__) + "/*-packages"), "/packages"]
sys.path += ["@SITE@"]
def merge(ids, pair, new_id):
    from tokenizers import Tokenizer
    from minbpe_course.reference.pairs import merge_pair
    return merge_pair(ids, pair, new_id)
""",
    "a count of the calls": """
calls = [0]
def merge(ids, pair, new_id):
    calls[0] += 1
    return [new_id] * calls[0]
""",
    "clocks that stand still": """
time.time = time.monotonic = time.perf_counter = lambda: 0.0
time.sleep = lambda seconds: None
def merge(ids, pair, new_id): return []
""",
}
CASES = answers(_ANSWERS)
