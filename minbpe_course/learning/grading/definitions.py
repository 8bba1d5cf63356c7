"""Find the names that the cells of a notebook define and need, from their syntax; nothing is run here.

The worker loads this file and ``cells.py`` by their paths, so they use the standard library only. A learner's text is
parsed only where it may also run, because a crafted text can take a parser much time, or all of its stack.

Limits: names are followed, values are not. A change to a value is found where a statement makes it by name
(``table.update(...)``, ``heapify(heap)``, a call of a function with ``global table``), but not under a second name
(``same = table; same.append(1)``).
"""

from __future__ import annotations

import _ast
import builtins

from minbpe_course.learning.grading.cells import python_of

TYPE_CHECKING = False  # typing takes longer to import than most answers take to run
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

SETTINGS = ("setrecursionlimit", "set_int_max_str_digits")  # of the interpreter: they apply to every cell
_ONLY_LOOK = ("print", "display", "check", "hint", "len", "type", "repr", "help", "progress")
# Calls that change their object or their first argument, and return a value that may be kept.
_CHANGING_METHODS = {"pop", "popitem", "popleft", "setdefault", "append", "add", "update", "extend", "insert"}
_CHANGING_FUNCTIONS = {"heappop", "heappushpop", "heapreplace", "next"}
_BY_TEXT = {"globals", "locals", "vars", "eval", "exec", "__import__"}  # functions that look a name up by its text


def parse(source: str) -> list[Any]:
    """Return the statements of a cell, without lines for IPython and statements that await.

    >>> len(parse("%matplotlib inline\\nids = [1]\\n!ls\\nawait ids"))
    1
    """
    body, future = _statements(python_of(source.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}")))
    maybe_awaits = "await" in source or "async" in source
    kept = [one for one in body if not isinstance(one, _ast.Pass) and not (maybe_awaits and _awaits(one))]
    for statement in kept:
        statement.future = future
    return kept


def _statements(source: str) -> tuple[list[Any], int]:
    tree: Any = compile(source, "<cell>", "exec", _ast.PyCF_ONLY_AST, dont_inherit=True)
    future = 0
    for statement in tree.body:
        if isinstance(statement, _ast.ImportFrom) and statement.module == "__future__":
            import __future__

            for alias in statement.names:
                future |= getattr(getattr(__future__, alias.name, None), "compiler_flag", 0)
    return tree.body, future


def future_of(cells: Iterable[str]) -> int:
    """Return the compiler flags that ``from __future__`` switches on in any cell: in a notebook they stay on."""
    flags = 0
    for statement in _readable(cell for cell in cells if "__future__" in cell):
        flags |= statement.future
    return flags


def _readable(cells: Iterable[str]) -> list[Any]:
    """Return the statements of all cells that can be parsed."""
    statements: list[Any] = []
    for cell in cells:
        try:
            statements += parse(cell)
        except Exception:
            continue
    return statements


# ----------------------------------------------------------------------------------------------------
# Scopes, as the compiler sees them


def _children(node: Any) -> Iterator[Any]:
    for name in node._fields:
        value = getattr(node, name, None)
        for child in value if isinstance(value, list) else (value,):
            if isinstance(child, _ast.AST):
                yield child


_FUNCTIONS = (_ast.FunctionDef, _ast.AsyncFunctionDef)
_COMPREHENSIONS = (_ast.ListComp, _ast.SetComp, _ast.DictComp, _ast.GeneratorExp)
_SCOPES = (*_FUNCTIONS, _ast.Lambda, *_COMPREHENSIONS)
_IMPORTS = (_ast.Import, _ast.ImportFrom)
_DEFINITIVE = (*_FUNCTIONS, _ast.ClassDef, *_IMPORTS)


def _nodes(statement: Any, *, everywhere: bool = False) -> Iterator[Any]:
    """Yield the nodes of a statement, by default without the insides of functions, classes and comprehensions."""
    waiting = [statement]
    while waiting:
        node = waiting.pop()
        yield node
        if everywhere or not isinstance(node, (*_SCOPES, _ast.ClassDef)):
            waiting.extend(_children(node))


def _awaits(statement: Any) -> bool:
    return any(isinstance(node, (_ast.Await, _ast.AsyncFor, _ast.AsyncWith)) for node in _nodes(statement))


def _around(node: Any) -> list[Any]:
    """Return the parts of a function, lambda, class or comprehension that are evaluated in the scope around it."""
    if isinstance(node, _COMPREHENSIONS):
        return [node.generators[0].iter]
    parts = list(getattr(node, "decorator_list", ()))
    if isinstance(node, _ast.ClassDef):
        return [*parts, *node.bases, *node.keywords]
    given = node.args
    return [*parts, *given.defaults, *(default for default in given.kw_defaults if default is not None)]


def _parameters(function: Any) -> list[Any]:
    given = function.args
    named = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    return [one for one in named if one is not None]


def _annotations(function: Any) -> list[Any]:
    found = [one.annotation for one in _parameters(function)] + [getattr(function, "returns", None)]
    return [one for one in found if one is not None]


def _inside(node: Any) -> list[Any]:
    """Return the parts of a function, lambda, class or comprehension that are evaluated in its own scope."""
    if isinstance(node, _COMPREHENSIONS):
        outside = node.generators[0].iter
        made = [part for part in _children(node) if not isinstance(part, _ast.comprehension)]
        return made + [part for one in node.generators for part in _children(one) if part is not outside]
    return node.body if isinstance(node.body, list) else [node.body]


def _stored(nodes: Iterable[Any]) -> Iterator[tuple[str, Any]]:
    """Yield each name that these nodes bind in their scope, with the node that binds it; also by ``del``."""
    waiting = [(node, False) for node in nodes]
    while waiting:
        node, comprehended = waiting.pop()
        if isinstance(node, _ast.NamedExpr):
            yield node.target.id, node  # of a comprehension, it binds in the scope around that
            waiting.append((node.value, comprehended))
            continue
        if isinstance(node, _COMPREHENSIONS):
            waiting += [(part, True) for part in _inside(node)] + [(node.generators[0].iter, comprehended)]
            continue
        if isinstance(node, (*_FUNCTIONS, _ast.ClassDef)):
            yield node.name, node
        if isinstance(node, (*_FUNCTIONS, _ast.ClassDef, _ast.Lambda)):
            waiting += [(part, comprehended) for part in _around(node)]
            continue
        if isinstance(node, _IMPORTS):
            for alias in node.names:
                yield alias.asname or alias.name.partition(".")[0], node
        elif isinstance(node, _ast.Name) and not isinstance(node.ctx, _ast.Load) and not comprehended:
            yield node.id, node
        elif isinstance(node, _ast.ExceptHandler) or type(node).__name__ in ("MatchAs", "MatchStar"):
            if node.name:
                yield node.name, node
        elif type(node).__name__ == "MatchMapping" and node.rest:
            yield node.rest, node
        waiting += [(part, comprehended) for part in _children(node)]


def _declared(nodes: Iterable[Any]) -> set[str]:
    """Return the names that nodes declare ``global`` in their own scope."""
    found = (node for part in nodes for node in _nodes(part))
    return {name for node in found if isinstance(node, _ast.Global) for name in node.names}


def _own_names(scope: Any) -> set[str]:
    """Return the names that are local to a function, lambda or comprehension."""
    if isinstance(scope, _COMPREHENSIONS):
        targets = (node for one in scope.generators for node in _nodes(one.target, everywhere=True))
        return {node.id for node in targets if isinstance(node, _ast.Name)}
    inside = _inside(scope)
    own = {one.arg for one in _parameters(scope)} | {name for name, _ in _stored(inside)}
    return own - _declared(inside)


def _type_parameters(node: Any) -> frozenset[str]:
    return frozenset(parameter.name for parameter in getattr(node, "type_params", ()))


# ----------------------------------------------------------------------------------------------------
# Names that statements define, need and change


def bound(statements: Sequence[Any]) -> set[str]:
    """Return the names that statements define, import, assign or store into; "*" for a star import.

    >>> sorted(bound(parse("import os.path, re as r\\ntable[1] = 2\\ndef f(x): y = x")))
    ['f', 'os', 'r', 'table']
    """
    names: set[str] = set()
    for name, node in _stored(statements):
        if not isinstance(node, _ast.ExceptHandler) and not isinstance(getattr(node, "ctx", None), _ast.Del):
            names.add(name)
    for statement in statements:
        for node in _nodes(statement):
            stored = isinstance(getattr(node, "ctx", None), (_ast.Store, _ast.Del))
            if isinstance(node, (_ast.Subscript, _ast.Attribute)) and stored:
                names.update(_root(node))
    return names


def _root(node: Any) -> set[str]:
    """Return the name that a chain of attributes, items and calls begins with."""
    while isinstance(node, (_ast.Subscript, _ast.Attribute, _ast.Call)):
        node = node.func if isinstance(node, _ast.Call) else node.value
    return {node.id} if isinstance(node, _ast.Name) else set()


def needed(statements: Sequence[Any]) -> set[str]:
    """Return the names that statements look up in the module, however deep inside functions.

    Names that a class binds for itself count too: until they are bound, Python looks them up in the module.

    >>> sorted(needed(parse("def f(x):\\n    y = [x for x in table]\\n    return g(y, x, lambda z: z + k)")))
    ['g', 'k', 'table']
    >>> sorted(needed(parse("def f():\\n    global calls\\n    calls += 1\\n    return globals()['size']")))
    ['calls', 'globals', 'size']
    """
    names: set[str] = set()
    for statement in statements:
        found = set(_looked_up(statement, frozenset()))
        names |= found
        if found & _BY_TEXT:
            names |= _words_of_texts(statement)
    return names


def _looked_up(node: Any, inner: frozenset[str]) -> Iterator[str]:
    if isinstance(node, _ast.Name):
        if not isinstance(node.ctx, _ast.Store) and node.id not in inner:
            yield node.id
        return
    if isinstance(node, _ast.AugAssign) and isinstance(node.target, _ast.Name) and node.target.id not in inner:
        yield node.target.id
    if not isinstance(node, (*_SCOPES, _ast.ClassDef)):
        parameters = _type_parameters(node)
        for child in _children(node):
            yield from _looked_up(child, inner | parameters)
        return
    for part in _around(node):
        yield from _looked_up(part, inner)
    inner |= _type_parameters(node)
    for part in getattr(node, "type_params", ()):
        yield from _looked_up(part, inner)
    if isinstance(node, (*_FUNCTIONS, _ast.Lambda)):
        for part in _annotations(node):
            yield from _looked_up(part, inner)
    inside = _inside(node)
    if isinstance(node, _SCOPES):
        inner |= _own_names(node)
    if not isinstance(node, _COMPREHENSIONS):
        inner -= _declared(inside)
    for part in inside:
        yield from _looked_up(part, inner)


def _words_of_texts(statement: Any) -> set[str]:
    """Return the identifiers in the texts of a statement, by which it may look up names."""
    texts = [node.value for node in _nodes(statement, everywhere=True) if isinstance(node, _ast.Constant)]
    words = {
        word
        for text in texts
        if isinstance(text, str)
        for word in "".join(sign if sign.isalnum() or sign == "_" else " " for sign in text[:10_000]).split()
    }
    return {word for word in words if word.isidentifier()}


def changed(statement: Any, writers: dict[str, set[str]]) -> set[str]:
    """Return the names whose values a call in a statement may change: a known call, or one whose result is dropped.

    writers : for functions that declare names ``global``, the names that a call of them binds.

    >>> cell = "table.update(a=1)\\nheapq.heapify(heap)\\nprint(shown)\\nfor x in y: found.append(x)"
    >>> [sorted(changed(statement, {})) for statement in parse(cell)]
    [['table'], ['heap', 'heapq'], [], ['found', 'x']]
    """
    names: set[str] = set()
    for node in _nodes(statement):
        if isinstance(node, _ast.Call) and isinstance(node.func, _ast.Name):
            names |= writers.get(node.func.id, set())
        if isinstance(node, _ast.Call):
            called = getattr(node.func, "attr", "") or getattr(node.func, "id", "")
            if called in _CHANGING_METHODS and isinstance(node.func, _ast.Attribute):
                names |= _root(node.func)
            elif called in _CHANGING_FUNCTIONS and node.args:
                names |= _root(node.args[0])
        if isinstance(node, _ast.Expr):
            names.update(_changed_by(node.value))
    return names


def _changed_by(expression: Any) -> Iterator[str]:
    waiting = [expression]
    while waiting:
        node = waiting.pop()
        if isinstance(node, _ast.Call):
            if isinstance(node.func, _ast.Name) and node.func.id in _ONLY_LOOK:
                continue
            if isinstance(node.func, _ast.Attribute):
                yield from _root(node.func)
            for argument in node.args:
                if isinstance(argument, _ast.Name):
                    yield argument.id
        waiting.extend(_children(node))


def _writers(statements: Iterable[Any]) -> dict[str, set[str]]:
    """Return, for every function at the top level, the names that a call of it binds in the module."""
    found: dict[str, set[str]] = {}
    for statement in statements:
        if isinstance(statement, _FUNCTIONS):
            names = _declared(statement.body)
            if names:
                names &= {name for name, _ in _stored(statement.body)}
                found.setdefault(statement.name, set()).update(names)
    return found


def bound_by_calls(statements: Iterable[Any]) -> set[str]:
    """Return the names that functions in these statements bind in the module when called."""
    return set().union(*_writers(statements).values())


def wanted_from(cells: Sequence[str], missing: set[str], have: set[str], known: Iterable[str] = ()) -> list[Any]:
    """Return the statements of other cells that define the missing names, and those that these need, in order.

    have : names not to look for.
    known : the names of builtins. Only a definition or import replaces one; ``sum = 0`` in a scratch cell does not.

    >>> cells = ["import re\\nsize = 3\\nprint(size)", "def helper(): return re, size", "syntax error ("]
    >>> [type(statement).__name__ for statement in wanted_from(cells, {"helper"}, set())]
    ['Import', 'Assign', 'FunctionDef']
    """
    known = set(known)
    if missing <= known and not any(_matter(cell, missing) for cell in cells):
        return []
    statements = _readable(cells)
    writers = _writers(statements) if any("global" in cell for cell in cells) else {}
    defining, changing = [bound([one]) for one in statements], [changed(one, writers) for one in statements]
    definitive = [isinstance(one, _DEFINITIVE) for one in statements]
    fixed = [isinstance(one, (*_FUNCTIONS, *_IMPORTS)) for one in statements]
    chosen = {number for number, one in enumerate(statements) if _sets_interpreter(one)}
    seen = set(have)
    waiting = set(missing) | needed([statements[number] for number in chosen]) - seen
    unknown: set[str] = set()
    stars = [number for number, one in enumerate(statements) if "*" in defining[number] or _binds_by_text(one)]
    while waiting or (unknown and stars):
        if not waiting:
            # No statement defines these by name, so they may come from a star import or from exec().
            waiting |= needed([statements[number] for number in stars if number not in chosen]) - seen
            chosen.update(stars)
            stars = []
            continue
        name = waiting.pop()
        seen.add(name)
        found = [number for number, names in enumerate(defining) if name in names]
        if name in known:
            found = [number for number in found if definitive[number]]
        elif not found or not all(fixed[number] for number in found):
            found += [number for number, names in enumerate(changing) if name in names]
        if not found and name not in known:
            unknown.add(name)
        new = set(found) - chosen
        chosen |= new
        waiting |= needed([statements[number] for number in new]) - seen
    return [statements[number] for number in sorted(chosen)]


def _matter(cell: str, builtin: set[str]) -> bool:
    """Tell whether a cell replaces one of these builtins, or sets the interpreter."""
    return _may_matter(cell, builtin) and any(
        _sets_interpreter(one) or (isinstance(one, _DEFINITIVE) and not builtin.isdisjoint(bound([one])))
        for one in _readable([cell])
    )


def _may_matter(cell: str, builtin: set[str]) -> bool:
    """Tell without parsing whether a cell may replace one of these builtins, or set the interpreter."""
    # An identifier that is not ASCII may be another spelling of one that is.
    words = " ".join(cell.replace("\\\n", " ").split())
    defined = any(f"def {name}" in words or f"class {name}" in words for name in builtin)
    imported = "import" in words and any(name in words for name in builtin)
    return defined or imported or not cell.isascii() or any(setting in words for setting in SETTINGS)


def _binds_by_text(statement: Any) -> bool:
    calls = (node.func for node in _nodes(statement) if isinstance(node, _ast.Call))
    return any(isinstance(function, _ast.Name) and function.id in ("exec", "globals") for function in calls)


def _sets_interpreter(statement: Any) -> bool:
    call = statement.value if isinstance(statement, _ast.Expr) else None
    function = call.func if isinstance(call, _ast.Call) else None
    return (getattr(function, "attr", "") or getattr(function, "id", "")) in SETTINGS


def imported(statements: Iterable[Any]) -> dict[str, None]:
    """Return the top-level packages that statements import, at any depth, in no particular order.

    >>> sorted(imported(parse("import os.path, re\\ndef f():\\n    from json import loads\\n    __import__('csv')")))
    ['csv', 'json', 'os', 're']
    """
    found: dict[str, None] = {}
    for statement in statements:
        for node in _nodes(statement, everywhere=True):
            if isinstance(node, _ast.Import):
                found.update(dict.fromkeys(alias.name.partition(".")[0] for alias in node.names))
            elif isinstance(node, _ast.ImportFrom) and node.module and not node.level:
                found[node.module.partition(".")[0]] = None
            elif isinstance(node, _ast.Call) and node.args and isinstance(node.args[0], _ast.Constant):
                name = getattr(node.func, "id", "") or getattr(node.func, "attr", "")
                if name in ("__import__", "import_module") and isinstance(node.args[0].value, str):
                    found[node.args[0].value.partition(".")[0]] = None
    return found


def builtin_names() -> set[str]:
    """Return the names that every module has."""
    return {*vars(builtins), "__name__", "__doc__", "__builtins__"}
