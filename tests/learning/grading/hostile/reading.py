"""Answers that search for secrets. @SOLUTION@ is a right answer in a file that every user may read.

An answer that finds it is right, so that a sandbox that shows it gives full marks, and the test fails.
"""

from __future__ import annotations

from tests.learning.grading.hostile import answers

FOUND = """
import mmap, os
def by_the_c_library():
    import ctypes
    library = ctypes.CDLL(None)
    space = ctypes.create_string_buffer(100_000)
    library.read(library.open(b"@SOLUTION@", 0), space, 100_000)
    return space.value.decode()
def use(text):
    space = {}
    exec(text, space)
    return space["merge"]
"""

_WAYS = {
    "open": "use(open('@SOLUTION@').read())",
    "os.open": "use(__import__('os').read(__import__('os').open('@SOLUTION@', 0), 100_000).decode())",
    "pathlib": "use(__import__('pathlib').Path('@SOLUTION@').read_text())",
    "runpy": "__import__('runpy').run_path('@SOLUTION@')['merge']",
    "linecache": "use(''.join(__import__('linecache').getlines('@SOLUTION@')))",
    "a loader": "use(__import__('importlib.machinery').machinery.SourceFileLoader('a', '@SOLUTION@')"
    ".get_data('@SOLUTION@').decode())",
    "an import": "(__import__('sys').path.insert(0, '@FOLDER@'), __import__('solution').merge)[1]",
    "a listing": "use(open(__import__('glob').glob('@FOLDER@/*.py')[0]).read())",
    "a walk up": "use(open('../' * 40 + '@SOLUTION@'.lstrip('/')).read())",
    "the root of the parent": "use(open('/proc/%d/root' % __import__('os').getppid() + '@SOLUTION@').read())",
    "its own root": "use(open('/proc/self/root@SOLUTION@').read())",
    "the folder of the grader": "use(open('/proc/%d/cwd/@RELATIVE@' % __import__('os').getppid()).read())",
    "the root of the first process": "use(open('/proc/1/root@SOLUTION@').read())",
    "a link": "(__import__('os').symlink('@SOLUTION@', 'link'), use(open('link').read()))[1]",
    "a hard link": "(__import__('os').link('@SOLUTION@', 'link'), use(open('link').read()))[1]",
    "a database": "use(__import__('sqlite3').connect('@FOLDER@/solutions.sqlite')"
    ".execute('select source from solutions').fetchone()[0])",
    "a program": "use(__import__('subprocess').check_output(['cat', '@SOLUTION@']).decode())",
    "a shell": "use(__import__('os').popen('cat @SOLUTION@').read())",
    "the C library": "use(by_the_c_library())",
    "a map of memory": "use(bytes(mmap.mmap(os.open('@SOLUTION@', 0), 0, prot=mmap.PROT_READ)).decode())",
    "tokenize": "use(__import__('tokenize').open('@SOLUTION@').read())",
    "a URL": "use(__import__('urllib.request').request.urlopen('file://@SOLUTION@').read().decode())",
}

CASES = {f"a solution by {name}": f"{FOUND}\nmerge = {way}\n" for name, way in _WAYS.items()}

# These return text, in which the test looks for the secret.
_LOOKING = {
    "the environment": "import os\ndef merge(*args): return str(dict(os.environ))",
    "the environment of every process": """
    found = []
    for path in glob.glob("/proc/[0-9]*/environ") + glob.glob("/proc/[0-9]*/cmdline"):
        try: found.append(open(path, "rb").read().decode("latin-1"))
        except OSError: pass
    return "".join(found)""",
    "everything in memory": """
    return "".join(repr(value)[:2000] for value in gc.get_objects()[:20000] if type(value) is dict)""",
    "home": """
    found = []
    for place in (os.path.expanduser("~"), "@HOME@", "@HOME@/.ssh", "@HOME@/.netrc"):
        try: found += os.listdir(place)
        except OSError: pass
        try: found.append(open(place).read())
        except OSError: pass
    return "".join(found)""",
    "other submissions": """
    found = []
    for place, folders, names in os.walk("@FOLDER@"):
        found += [open(os.path.join(place, name), errors="replace").read() for name in names]
    for place, folders, names in os.walk("/work/.."):
        found += [place, *names][:100]
        if len(found) > 5000: break
    return "".join(found)""",
    "files that are open": """
    found = []
    for number in range(256):
        try: found.append(os.pread(number, 10_000, 0).decode("latin-1"))
        except OSError: pass
        try: found.append(os.readlink(f"/proc/self/fd/{number}"))
        except OSError: pass
    return "".join(found)""",
    "its own memory": """
    found = []
    with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as memory:
        for line in maps:
            first, last = (int(part, 16) for part in line.split()[0].split("-"))
            if "rw" in line and last - first < 1 << 24:
                memory.seek(first)
                found.append(memory.read(last - first).decode("latin-1"))
    text = "".join(found)
    at = text.find("sec" + "ret-of-the")
    return text[at : at + 60] if at >= 0 else ""
""",
}
LOOKING = answers(_LOOKING, "def merge(*args):")
