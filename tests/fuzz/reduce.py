"""Make a kernel that fails small: remove and simplify parts of its tree as long as it still fails."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, get_args

from . import cxx, interpret, programs
from .scalars import Scalar
from .tree import Call, Const, Expr, For, GridLoop, If, Kernel, Launch, Stmt, Switch, Var

_EXPRESSIONS, _STATEMENTS = get_args(Expr), get_args(Stmt)


def reduced(
    kernel: Kernel,
    still_fails: Callable[[Sequence[Kernel]], int | None],
    seconds: float,
    at_once: int = 8,
) -> Kernel:
    """Return a small kernel that still fails.

    Args:
        kernel: One that fails.
        still_fails: Returns the index of a candidate that fails in the same way.
        seconds: How long it may take.
        at_once: How many kernels to give it.
    """
    end = time.monotonic() + seconds
    at, tried_since = 0, 0
    while time.monotonic() < end:
        # continue after the last success: the variants before it were tried
        candidates = (tidy for tidy in map(_tidy, islice(variants(kernel), at, None)))
        group = list(islice(candidates, at_once))
        if not group:
            if at == 0 or tried_since == 0:
                break
            at, tried_since = 0, 0
            continue
        valid = [number for number, candidate in enumerate(group) if candidate != kernel and _has_result(candidate)]
        found = still_fails([group[number] for number in valid]) if valid else None
        if found is None:
            at += len(group)
        else:
            kernel = group[valid[found]]
            at += valid[found]
            tried_since += 1
    return kernel


def _has_result(kernel: Kernel) -> bool:
    try:
        programs.expected(kernel)
    except interpret.Undefined:
        return False
    return True


def variants(kernel: Kernel) -> Iterator[Kernel]:
    """Yield smaller kernels, the much smaller ones first."""
    for launches in _launches(kernel.launches):
        yield replace(kernel, launches=launches)
    if kernel.style:
        yield replace(kernel, style="")
    for body in _lists(kernel.body):
        yield replace(kernel, body=body)
    for at, function in enumerate(kernel.functions):
        if function.form:
            yield replace(kernel, functions=_with(kernel.functions, at, replace(function, form="")))
        for smaller in _lists(function.body):
            yield replace(kernel, functions=_with(kernel.functions, at, replace(function, body=smaller)))
    for body in _expressions(kernel.body):
        yield replace(kernel, body=body)
    for at, function in enumerate(kernel.functions):
        for smaller in _expressions(function):
            yield replace(kernel, functions=_with(kernel.functions, at, smaller))
    for at, array in enumerate(kernel.arrays):
        if array.values:
            yield replace(kernel, arrays=_with(kernel.arrays, at, replace(array, values=array.values[:1])))
        if array.length > 1:
            values = array.values[: array.length // 2]
            smaller = replace(array, length=array.length // 2, values=values)
            yield replace(kernel, arrays=_with(kernel.arrays, at, smaller))
    for at, param in enumerate(kernel.params):
        zeros = tuple(type(value)(0) for value in param.value)
        yield replace(kernel, params=_with(kernel.params, at, replace(param, value=zeros)))


def _with(parts: tuple[Any, ...], at: int, *new: Any) -> tuple[Any, ...]:
    return (*parts[:at], *new, *parts[at + 1 :])


def _launches(launches: tuple[Launch, ...]) -> Iterator[tuple[Launch, ...]]:
    if len(launches) > 1:
        yield from ((launch,) for launch in launches)
        return
    (launch,) = launches
    for grid in ((1, 1, 1), (2, 1, 1)):
        if launch.blocks > grid[0]:
            yield (replace(launch, grid=grid),)
    for size in (1, 2, 3, 31, 32, 33, 64, 65, launch.threads // 2, launch.threads - 1, launch.threads):
        block = (size, 1, 1)
        if 0 < size <= launch.threads and block != launch.block:
            yield (replace(launch, block=block),)


def _lists(statements: tuple[Stmt, ...]) -> Iterator[tuple[Stmt, ...]]:
    """Yield lists with fewer statements, then lists in which parts replace their statements."""
    size = len(statements)
    while size:
        for at in range(0, len(statements), size):
            yield (*statements[:at], *statements[at + size :])
        size //= 2
    for at, statement in enumerate(statements):
        for inner in _bodies(statement):
            yield _with(statements, at, *inner)
        for smaller in _smaller_statements(statement):
            yield _with(statements, at, smaller)


def _bodies(statement: Stmt) -> Iterator[tuple[Stmt, ...]]:
    if isinstance(statement, If):
        yield from (body for body in (statement.then, statement.orelse) if body)
    elif isinstance(statement, (For, GridLoop)):
        yield statement.body
    elif isinstance(statement, Switch):
        yield from (case for case in statement.cases if case)


def _smaller_statements(statement: Stmt) -> Iterator[Stmt]:
    if isinstance(statement, If):
        if statement.way != "plain":
            yield replace(statement, way="plain")
        yield from (replace(statement, then=then) for then in _lists(statement.then))
        yield from (replace(statement, orelse=orelse) for orelse in _lists(statement.orelse))
    elif isinstance(statement, (For, GridLoop)):
        if isinstance(statement, For) and statement.way != "plain":
            yield replace(statement, way="plain")
        yield from (replace(statement, body=body) for body in _lists(statement.body))
    elif isinstance(statement, Switch):
        for at, case in enumerate(statement.cases):
            yield from (replace(statement, cases=_with(statement.cases, at, body)) for body in _lists(case))


def _expressions(node: Any) -> Iterator[Any]:
    """Yield trees in which one expression is smaller."""
    if isinstance(node, _EXPRESSIONS):
        yield from _smaller(node)
    if isinstance(node, tuple) and not isinstance(node, Scalar):
        for at, part in enumerate(node):
            for new in _expressions(part):
                yield _with(node, at, new)
    elif dataclasses.is_dataclass(node) and not isinstance(node, type):
        for field in dataclasses.fields(node):
            part = getattr(node, field.name)
            if field.name in ("var", "counter", "params", "variables"):
                continue
            for new in _expressions(part):
                yield replace(node, **{field.name: new})


def _smaller(expr: Expr) -> Iterator[Expr]:
    if isinstance(expr, Const):
        if expr.value not in (0, 1):
            yield from (Const(expr.type, type(expr.value)(value)) for value in (0, 1))
        return
    children = [getattr(expr, field.name) for field in dataclasses.fields(expr)]
    inner = [child for child in children if isinstance(child, _EXPRESSIONS)]
    constants = [Const(expr.type, (float if expr.type.kind == "f" else int)(value)) for value in (0, 1)]
    yield from constants
    for child in inner:
        if child.type is expr.type:
            yield child
        elif isinstance(child, Var):
            continue
        yield from (found for found in _grandchildren(child) if found.type is expr.type)


def _grandchildren(expr: Expr) -> list[Expr]:
    return [
        child
        for field in dataclasses.fields(expr)
        for child in [getattr(expr, field.name)]
        if isinstance(child, _EXPRESSIONS)
    ]


def _tidy(kernel: Kernel) -> Kernel:
    """Remove what nothing uses any more."""
    called = {node.function for node in cxx.walk(kernel.body) if isinstance(node, Call)}
    for function in reversed(kernel.functions):  # which call only those before them
        if function.name in called:
            called |= {node.function for node in cxx.walk(function.body) if isinstance(node, Call)}
    functions = tuple(function for function in kernel.functions if function.name in called)
    nodes = list(cxx.walk((kernel.body, tuple(function.body for function in functions))))
    nodes += list(cxx.walk(tuple(function.result for function in functions)))
    names = {node.name for node in nodes if isinstance(node, Var)}
    arrays = {node.array for node in nodes if hasattr(node, "array")}
    arrays |= {name for node in nodes if isinstance(node, Call) for name in node.arrays}
    params = {name.split(".")[0] for name in names | arrays}
    return replace(
        kernel,
        functions=tuple(
            replace(function, variables=tuple(pair for pair in function.variables if pair[0].name in names))
            for function in functions
        ),
        arrays=tuple(array for array in kernel.arrays if array.name in arrays),
        params=tuple(param for param in kernel.params if param.name in params),
        variables=tuple(pair for pair in kernel.variables if pair[0].name in names),
    )
