"""The programs as trees: kernels, statements, expressions. A tree can be written as C++ and run by NumPy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Union

from .scalars import Scalar

Number = Union[int, float, bool]


# Expressions. `type` is that of the value.


@dataclass(frozen=True)
class Const:
    type: Scalar
    value: Number


@dataclass(frozen=True)
class Var:
    """A variable, a parameter, or a member of a parameter (`p.a.x`)."""

    type: Scalar
    name: str


@dataclass(frozen=True)
class Special:
    """An unsigned fact about the thread: tid, gid, threads, block, lane, threadIdx.x, ..."""

    type: Scalar
    name: str


@dataclass(frozen=True)
class Unary:
    type: Scalar
    op: str
    a: Expr


@dataclass(frozen=True)
class Binary:
    """An operation on two operands of the result's type; comparisons, whose result is a bool, on two of one type."""

    type: Scalar
    op: str
    a: Expr
    b: Expr


@dataclass(frozen=True)
class Select:
    type: Scalar
    condition: Expr
    a: Expr
    b: Expr


@dataclass(frozen=True)
class Cast:
    type: Scalar
    a: Expr


@dataclass(frozen=True)
class Load:
    """An element of an array, its index modulo the array's length if it is not known to be in range."""

    type: Scalar
    array: str
    index: Expr
    in_range: bool = False


Expr = Union[Const, Var, Special, Unary, Binary, Select, Cast, Load]


# Statements.


@dataclass(frozen=True)
class Assign:
    var: Var
    value: Expr


@dataclass(frozen=True)
class Store:
    array: str
    index: Expr
    value: Expr
    in_range: bool = False


@dataclass(frozen=True)
class Put:
    """Write a value to the thread's own element of the results."""

    slot: int
    value: Expr


@dataclass(frozen=True)
class Atomic:
    """An atomic operation whose result is not used; all on one array are the same operation."""

    op: str
    array: str
    index: Expr
    value: Expr


@dataclass(frozen=True)
class If:
    """A branch.

    way: 'plain' if its threads cannot wait for each other in it, 'uniform' if all that come take the same branch,
    'voted' if a ballot first finds out who takes which.
    """

    condition: Expr
    then: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...] = ()
    way: str = "plain"


@dataclass(frozen=True)
class For:
    """A loop of so many turns; `form` is for, while or do. `way` as in If."""

    counter: Var
    turns: Expr
    body: tuple[Stmt, ...]
    way: str = "plain"
    form: str = "for"


@dataclass(frozen=True)
class GridLoop:
    """A grid-stride loop over the elements of global arrays of one length."""

    counter: Var
    array: str
    body: tuple[Stmt, ...]


@dataclass(frozen=True)
class Switch:
    value: Expr
    cases: tuple[tuple[Stmt, ...], ...]  # the last one is the default


@dataclass(frozen=True)
class Leave:
    """return, break or continue."""

    word: str


@dataclass(frozen=True)
class Barrier:
    """__syncthreads, or __syncthreads_count, _and or _or, whose result goes to `var`."""

    kind: str = ""
    var: Var | None = None
    predicate: Expr | None = None


@dataclass(frozen=True)
class Shuffle:
    """Shuffle a value of the warp's lanes; who names a lane that is not there keeps its own."""

    kind: str  # "", up, down, xor
    var: Var
    value: Expr
    argument: Expr
    width: int = 32


@dataclass(frozen=True)
class Vote:
    """ballot, all, any, match_any, match_all."""

    kind: str
    var: Var
    value: Expr


@dataclass(frozen=True)
class Exchange:
    """Swap values within a warp by way of shared memory and __syncwarp."""

    var: Var
    value: Expr
    lane: Expr


@dataclass(frozen=True)
class Call:
    var: Var
    function: str
    arguments: tuple[Expr, ...]
    arrays: tuple[str, ...] = ()  # of the block, for the function's own


@dataclass(frozen=True)
class Plain:
    """A statement that changes no result: a fence, a yield."""

    text: str


Stmt = Union[
    Assign,
    Store,
    Put,
    Atomic,
    If,
    For,
    GridLoop,
    Switch,
    Leave,
    Barrier,
    Shuffle,
    Vote,
    Exchange,
    Call,
    Plain,
]


# Declarations.


@dataclass(frozen=True)
class ArrayOf:
    """An array of a kernel.

    space: 'table' (a constant parameter), 'constant' (__constant__), 'global' (read and written), 'counters' (global,
    for atomics), 'local' (the thread's own), 'shared', 'dynamic', 'scratch' (a part of global memory for each block,
    used like shared memory), 'member' (of a struct parameter).
    A shared array has as many elements as its block has threads, or 1; without `is_zeroed` they have no value at first.
    """

    name: str
    type: Scalar
    length: int
    space: str
    values: tuple[Number, ...] = ()
    is_zeroed: bool = True

    @property
    def is_of_block(self) -> bool:
        """Whether the threads of a block share it."""
        return self.space in ("shared", "dynamic", "scratch")


@dataclass(frozen=True)
class Struct:
    name: str
    fields: tuple[tuple[str, Scalar | Struct, int], ...]  # name, type, length (0: no array)
    template: bool = False  # declared within a class template of characters
    align: int = 0


@dataclass(frozen=True)
class Param:
    name: str
    type: Scalar | Struct
    value: tuple[Number, ...]  # all scalars of a struct, in order


@dataclass(frozen=True)
class Function:
    """A device function; with `waits`, its threads may wait for each other in it."""

    name: str
    type: Scalar
    params: tuple[Var, ...]
    variables: tuple[tuple[Var, Number], ...]
    body: tuple[Stmt, ...]
    result: Expr
    form: str  # '', noinline, forceinline, template, lambda, reference (it writes its result to a parameter)
    waits: bool = False
    arrays: tuple[ArrayOf, ...] = ()  # parameters that point to arrays of the block


@dataclass(frozen=True)
class Launch:
    grid: tuple[int, int, int]
    block: tuple[int, int, int]

    @property
    def threads(self) -> int:
        return self.block[0] * self.block[1] * self.block[2]

    @property
    def blocks(self) -> int:
        return self.grid[0] * self.grid[1] * self.grid[2]


@dataclass(frozen=True)
class Kernel:
    """One kernel and how it is launched.

    wide: correct for warps of 128 lanes as well as of 32. style: how it is written ('', template, bounds, namespace,
    dollar).
    """

    name: str
    params: tuple[Param, ...]
    arrays: tuple[ArrayOf, ...]
    functions: tuple[Function, ...]
    variables: tuple[tuple[Var, Number], ...]
    body: tuple[Stmt, ...]
    launches: tuple[Launch, ...]
    slots: int
    wide: bool = False
    style: str = ""
