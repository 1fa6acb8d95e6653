"""Write kernels at random, as trees.

What is written means one thing by construction as far as that is easy: indices in range, no overflow, no division by
zero, barriers in uniform control flow, shared memory that is either written by its owner or read by all. The
interpreter rejects the rest.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from .interpret import members
from .scalars import BOOL, F16, F32, F64, FLOATS, I32, I64, INTEGERS, SCALARS, U32, U64, Scalar
from .tree import (
    ArrayOf,
    Assign,
    Atomic,
    Barrier,
    Binary,
    Call,
    Cast,
    Const,
    Exchange,
    Expr,
    For,
    Function,
    GridLoop,
    If,
    Kernel,
    Launch,
    Leave,
    Load,
    Number,
    Param,
    Plain,
    Put,
    Select,
    Shuffle,
    Special,
    Stmt,
    Store,
    Struct,
    Switch,
    Unary,
    Var,
    Vote,
)

SPECIALS = (
    "tid",
    "tid",
    "tid",
    "gid",
    "threads",
    "lane",
    "block",
    "threadIdx.x",
    "threadIdx.y",
    "blockIdx.x",
    "blockDim.x",
)
GIVEN = ("tid", "tid", "threadIdx.x", "blockIdx.x", "blockDim.x", "gridDim.x")
UNIFORM_SPECIALS = ("threads", "block", "blockIdx.x", "blockDim.x", "gridDim.x")
#: types that shuffles take
SHUFFLED = (I32, U32, I64, U64, F32, F64, F16)
TYPES = (U32, U32, I32, I32, U64, I64, F32, F64)
COUNTED = (I32, U32, U64)
#: statements, and how often each is written where its context allows it
STATEMENTS = {
    "assign": 6.0,
    "store": 1.5,
    "put": 1.0,
    "atomic": 0.8,
    "plain": 0.4,
    "if": 2.0,
    "for": 1.2,
    "switch": 0.5,
    "call": 2.5,
    "barrier": 2.5,
    "barrier vote": 1.0,
    "kept": 2.5,
    "uniform": 1.0,
    "shuffle": 2.5,
    "vote": 1.2,
    "exchange": 0.6,
    "return": 0.3,
    "leave": 0.8,
}
BLOCKS = (1, 7, 31, 32, 33, 64, 96, 100, 128, 130, 200, 256, 257)


@dataclass(frozen=True)
class _Context:
    """The operations that are allowed for a statement, by its surroundings."""

    block: bool = True  # wait for the block
    warps: bool = True  # wait for lanes
    uniform: bool = True  # all threads of the block come
    returns: bool = True
    loop: bool = False  # break and continue leave a loop in which no thread waits
    depth: int = 3

    def deeper(self, **changes: bool) -> _Context:
        return replace(self, depth=self.depth - 1, **changes)


class _Generator:
    def __init__(self, chance: random.Random, name: str) -> None:
        self.chance = chance
        self.name = name
        self.numbers = 0
        self.variables: list[tuple[Var, Number]] = []
        self.readable: list[Expr] = []  # variables, parameters and loop counters that are in scope
        self.uniform: list[Var] = []  # variables that are the same in all threads of a block
        self.uniform_readable: list[Expr] = []
        self.arrays: list[ArrayOf] = []
        self.members: list[ArrayOf] = []
        self.pointed: list[ArrayOf] = []  # arrays of the block that a function has a pointer to
        self.functions: list[tuple[Function, str]] = []
        self.modes: dict[str, tuple[str, int]] = {}
        self.in_function = False
        self.grid_counter: list[tuple[Expr, str]] = []  # global arrays, and the element that is this thread's
        self.writable: list[Var] = []  # parameters of which the kernel changes its own copy
        self.counter_ops: dict[str, str] = {}
        self.launches: tuple[Launch, ...] = ()
        self.has_barriers = self.has_warps = self.can_diverge = False
        # A kernel with some of everything has little of anything. So each one has its own few types and statements.
        self.types = chance.choices(TYPES, k=chance.choice([1, 2, 3])) if self.happens(0.6) else [*TYPES, *SCALARS]
        self.weights = {kind: weight * chance.choice([0, 0.5, 1, 1, 3]) for kind, weight in STATEMENTS.items()}
        self.plainness = chance.choice([0.1, 0.25, 0.5, 0.8])  # how often an expression has no operation,
        self.reading = chance.choice(
            [0, 0, 0.2, 0.4]
        )  # and an operand is an element; with 0 only arguments of calls are

    def fresh(self, what: str) -> str:
        self.numbers += 1
        return f"{what}{self.numbers}"

    def happens(self, probability: float) -> bool:
        return self.chance.random() < probability

    # Numbers and types.

    def number(self, kind: Scalar) -> Number:
        pick = self.chance
        if kind is BOOL:
            return pick.random() < 0.5
        if kind.kind == "f":
            return pick.choice([0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 100.0, pick.randint(-64, 64) / 8, 1024.0, -0.0])
        least, most = (-(2 ** (kind.bits - 1)), 2 ** (kind.bits - 1) - 1) if kind.kind == "i" else (0, 2**kind.bits - 1)
        return pick.choice(
            [0, 1, 2, 3, most, least, pick.randint(0, 15), pick.randint(0, 100), pick.randint(least, most)]
        )

    def scalar(self) -> Scalar:
        return self.chance.choice(self.types)

    # Expressions.

    def expr(self, kind: Scalar, depth: int = 2) -> Expr:
        if depth <= 0 or self.happens(self.plainness):
            return self.leaf(kind)
        pick = self.chance.random()
        if pick < 0.12:
            return Select(kind, self.expr(BOOL, depth - 1), self.expr(kind, depth - 1), self.expr(kind, depth - 1))
        if pick < 0.3:
            return self.cast(kind, self.expr(self.scalar(), depth - 1))
        if kind is BOOL:
            return self._bool(depth)
        if pick < 0.38 and kind in (U32, U64):
            return Unary(kind, self.chance.choice(["brev", "~"]), self.expr(kind, depth - 1))
        if pick < 0.42 and kind is I32:
            return Unary(I32, self.chance.choice(["popc", "clz"]), self.expr(self.chance.choice([U32, U64]), depth - 1))
        if pick < 0.46:
            return Unary(kind, "-", self.expr(kind, depth - 1))
        if kind.kind == "f":
            op = self.chance.choice(["+", "-", "*", "+", "-", "*", "/"])
        else:
            ops = ["+", "-", "*", "&", "|", "^", "<<", ">>", "/", "%", "+", "-", "*"]
            ops += ["min", "max"] if kind.bits >= 32 else []
            ops += ["mulhi"] if kind in (U32, I32) else []
            op = self.chance.choice(ops)
        return Binary(kind, op, self.expr(kind, depth - 1), self.expr(kind, depth - 1))

    def _bool(self, depth: int) -> Expr:
        pick = self.chance.random()
        if pick < 0.15:
            return Unary(BOOL, "!", self.expr(BOOL, depth - 1))
        if pick < 0.35:
            op = self.chance.choice(["&&", "||", "^", "&"])
            return Binary(BOOL, op, self.expr(BOOL, depth - 1), self.expr(BOOL, depth - 1))
        kind = self.scalar()
        op = self.chance.choice(["<", "<=", ">", ">=", "==", "!="])
        return Binary(BOOL, op, self.expr(kind, depth - 1), self.expr(kind, depth - 1))

    def cast(self, kind: Scalar, expr: Expr) -> Expr:
        return expr if expr.type is kind else Cast(kind, expr)

    def leaf(self, kind: Scalar) -> Expr:
        pick = self.chance.random()
        if pick < 0.15:
            return Const(kind, self.number(kind))
        if pick < 0.25:
            return self.cast(kind, Special(U32, self.chance.choice(SPECIALS)))
        if pick < 0.35:
            return self.given(kind)
        if pick < 0.35 + self.reading:
            load = self.load(kind)
            if load is not None:
                return self.cast(kind, load)
        same = [expr for expr in self.readable if expr.type is kind]
        if same and self.happens(0.8):
            return self.chance.choice(same)
        if self.readable:
            return self.cast(kind, self.chance.choice(self.readable))
        return Const(kind, self.number(kind))

    def given(self, kind: Scalar) -> Expr:
        """Draw a value that is constant for a thread: an index, or a parameter that the kernel does not change."""
        same = [var for var in self.uniform_readable if var.type is kind and var not in self.uniform]
        if same and (kind not in (U32, I32) or self.happens(0.5)):
            return self.chance.choice(same)
        return self.cast(kind, Special(U32, self.chance.choice(GIVEN)))

    def unknown(self, kind: Scalar) -> Expr:
        """Draw a constant value that no pass of the compiler can know."""
        tables = [array for array in self.visible() if array.space in ("table", "constant")]
        if not tables or self.happens(0.3):
            return self.given(kind)
        array = self.chance.choice([table for table in tables if table.type is kind] or tables)
        return self.cast(kind, Load(array.type, array.name, Const(U32, self.chance.randint(0, 7))))

    def load(self, kind: Scalar, of_block: bool = False) -> Load | None:
        arrays = [array for array in self.visible() if self.is_readable(array) and array.is_of_block >= of_block]
        same = [array for array in arrays if array.type is kind]
        if not arrays:
            return None
        array = self.chance.choice(same or arrays)
        if array.space == "global":
            counter = next(counter for counter, name in self.grid_counter if name == array.name)
            return Load(array.type, array.name, counter, True)
        return Load(array.type, array.name, self.index(array), False)

    def visible(self) -> list[ArrayOf]:
        if self.in_function:
            return [*(array for array in self.arrays if array.space == "constant"), *self.pointed]
        return [*self.arrays, *self.members]

    def is_readable(self, array: ArrayOf) -> bool:
        if array.space == "counters":
            return False
        if array.space == "global":
            return any(name == array.name for _, name in self.grid_counter)
        if array.is_of_block:
            mode, _ = self.modes[array.name]
            return mode == "read" or (mode == "own" and array.length != 1)
        return True

    def index(self, array: ArrayOf) -> Expr:
        if array.is_of_block:
            if array.length == 1:
                return Const(U32, 0)
            mode, shift = self.modes[array.name]
            if mode == "own":
                tid = Special(U32, "tid")
                return Binary(U32, "+", tid, Const(U32, shift)) if shift else tid
            if self.happens(0.3):
                return Binary(U32, "+", Special(U32, "tid"), Const(U32, self.chance.randint(1, 40)))
            if self.happens(0.3):
                return Const(U32, self.chance.choice([0, 0, 1, 5]))
        return self.expr(self.chance.choice([U32, U32, I32]), 1)

    def uniform_expr(self, kind: Scalar, depth: int = 1) -> Expr:
        pick = self.chance.random()
        if depth > 0 and pick < 0.3 and kind.is_integer:
            op = self.chance.choice(["+", "-", "*", "^", ">>", "%"])
            return Binary(kind, op, self.uniform_expr(kind, depth - 1), self.uniform_expr(kind, depth - 1))
        if kind is BOOL and self.uniform_readable and self.happens(0.4):
            var = self.chance.choice(self.uniform_readable)
            return Binary(BOOL, self.chance.choice(["<", ">", "==", "!="]), var, Const(var.type, self.number(var.type)))
        if kind is BOOL:
            other = self.chance.choice([I32, U32, U64, I64])
            op = self.chance.choice(["<", ">", "==", "!=", "<="])
            return Binary(BOOL, op, self.uniform_expr(other, depth), self.uniform_expr(other, depth))
        # parameters and variables for the most part: what is constant is gone after the front end
        if self.uniform_readable and self.happens(0.6):
            return self.cast(kind, self.chance.choice(self.uniform_readable))
        leaves: list[Expr] = [Const(kind, self.number(kind))]
        leaves.append(Special(U32, self.chance.choice(UNIFORM_SPECIALS)))
        for array in self.visible():
            if array.space in ("table", "constant") and self.happens(0.3):
                leaves.append(Load(array.type, array.name, Const(U32, self.chance.randint(0, 7))))
            if array.is_of_block and self.modes[array.name][0] == "read" and self.happens(3 * self.reading):
                leaves.append(Load(array.type, array.name, Const(U32, self.chance.randint(0, 7))))
        return self.cast(kind, self.chance.choice(leaves))

    # Statements.

    def statements(self, context: _Context, count: int) -> tuple[Stmt, ...]:
        found: list[Stmt] = []
        for _ in range(count):
            found += self.statement(context)
        return tuple(found)

    def body(self, context: _Context) -> tuple[Stmt, ...]:
        """The statements of a branch or loop: shared memory is in its end what it was at its start."""
        before = dict(self.modes)
        found = self.statements(context, self.chance.choice([1, 1, 2, 2, 3]))
        may_wait = context.block and context.uniform and self.has_barriers
        if self.modes != before or (may_wait and self.happens(0.5)):
            found = (*found, Barrier())
            self.modes = before
        return found

    def variable(self, *kinds: Scalar) -> Var:
        wanted = [var for var, _ in self.variables if not kinds or var.type in kinds]
        wanted = [var for var in wanted if var not in self.uniform]
        if wanted and self.happens(0.8):
            return self.chance.choice(wanted)
        var = Var(self.chance.choice(kinds) if kinds else self.scalar(), self.fresh("v"))
        self.variables.append((var, self.number(var.type)))
        self.readable.append(var)
        return var

    def statement(self, context: _Context) -> list[Stmt]:
        kinds = ["assign", "store", "put", "atomic", "plain"]
        if context.depth > 0:
            kinds += ["if", "for"] * (2 if context.block and context.uniform else 1) + ["switch"]
        if self.functions:
            kinds.append("call")
        if context.block and self.has_barriers:
            kinds += ["barrier", "barrier vote", "kept"]
        if context.block and context.uniform:
            kinds.append("uniform")
        if context.warps and self.has_warps:
            kinds += ["shuffle", "vote", "exchange"]
        if context.returns and (not context.block or self.happens(0.3)):
            kinds.append("return")
        if context.loop:
            kinds.append("leave")
        weights = [self.weights[kind] for kind in kinds]
        kind = self.chance.choices(kinds, weights)[0] if any(weights) else "assign"
        found: list[Stmt] = getattr(self, "_" + kind.replace(" ", "_"))(context)
        return found

    def _assign(self, context: _Context) -> list[Stmt]:
        var = self.variable()
        if self.writable and self.happens(0.15):
            var = self.chance.choice(self.writable)
        if self.happens(0.4) and var.type is not BOOL:
            op = self.chance.choice(["+", "-", "*"] if var.type.kind == "f" else ["+", "-", "^", "*"])
            return [Assign(var, Binary(var.type, op, var, self.expr(var.type)))]
        return [Assign(var, self.expr(var.type, 3))]

    def _uniform(self, context: _Context) -> list[Stmt]:
        if not self.uniform:
            return self._assign(context)
        var = self.chance.choice(self.uniform)
        return [Assign(var, self.uniform_expr(var.type, 2))]

    def _store(self, context: _Context) -> list[Stmt]:
        found: list[Stmt] = []
        for array in self.visible():
            if array.space in ("local", "member"):
                found.append(Store(array.name, self.index(array), self.expr(array.type)))
            elif array.space == "global":
                for counter, name in self.grid_counter:
                    if name == array.name:
                        found.append(Store(array.name, counter, self.expr(array.type), True))
            elif array.is_of_block:
                mode, thread = self.modes[array.name]
                if mode == "own" and array.length != 1:
                    found.append(Store(array.name, self.index(array), self.expr(array.type)))
                elif mode == "own":
                    is_me = Binary(BOOL, "==", Special(U32, "tid"), Const(U32, thread))
                    found.append(If(is_me, (Store(array.name, Const(U32, 0), self.expr(array.type)),)))
        return [self.chance.choice(found)] if found else self._assign(context)

    def _put(self, context: _Context) -> list[Stmt]:
        if self.in_function:
            return self._assign(context)
        return [Put(self.chance.randint(0, 1), self.expr(self.scalar()))]

    def _atomic(self, context: _Context) -> list[Stmt]:
        arrays = [
            array
            for array in self.visible()
            if array.space == "counters" or (array.is_of_block and self.modes[array.name][0].startswith("atomic"))
        ]
        if not arrays:
            return self._assign(context)
        array = self.chance.choice(arrays)
        op = self.counter_ops[array.name] if array.space == "counters" else self.modes[array.name][0].split()[1]
        index = Const(U32, 0) if array.length == 1 else self.expr(U32, 1)
        return [Atomic(op, array.name, index, self.expr(array.type))]

    def _plain(self, context: _Context) -> list[Stmt]:
        return [Plain(self.chance.choice(["__threadfence();", "__threadfence_block();"]))]

    def _if(self, context: _Context) -> list[Stmt]:
        if context.uniform and context.block and self.happens(0.65):
            inner = context.deeper()
            way, condition = "uniform", self.uniform_expr(BOOL)
        elif context.warps and self.can_diverge and self.happens(0.6):
            inner = context.deeper(block=False, uniform=False, returns=False, loop=False)
            way, condition = "voted", self.expr(BOOL)
        else:
            inner = context.deeper(block=False, warps=False, uniform=False)
            way, condition = "plain", self.expr(BOOL)
        then = self.body(inner)
        orelse = self.body(inner) if self.happens(0.5) else ()
        return [If(condition, then, orelse, way)]

    def _for(self, context: _Context) -> list[Stmt]:
        counter = Var(I32, self.fresh("i"))
        form = self.chance.choice(["for", "for", "while", "do"])
        if context.uniform and context.block and self.happens(0.5):
            way, inner = "uniform", context.deeper(loop=False)
            turns = Const(I32, self.chance.randint(0, 5)) if self.happens(0.5) else self._few(self.uniform_expr(I32))
        elif context.warps and self.can_diverge and self.happens(0.6):
            way, form, turns = "voted", "for", self._few(self.expr(I32))
            inner = context.deeper(block=False, uniform=False, returns=False, loop=False)
        else:
            way, inner = "plain", context.deeper(block=False, warps=False, uniform=False, loop=True)
            turns = Const(I32, self.chance.randint(0, 9)) if self.happens(0.3) else self._few(self.expr(I32))
        self.readable.append(counter)
        if way == "uniform":
            self.uniform_readable.append(counter)
        body = self.body(inner)
        if way == "uniform":
            self.uniform_readable.remove(counter)
        self.readable.remove(counter)
        return [For(counter, turns, body, way, form)]

    def _few(self, turns: Expr) -> Expr:
        return Binary(I32, "&", turns, Const(I32, self.chance.choice([3, 3, 7])))

    def _switch(self, context: _Context) -> list[Stmt]:
        inner = context.deeper(block=False, warps=False, uniform=False, loop=False)
        cases = tuple(self.body(inner) for _ in range(self.chance.randint(2, 4)))
        return [Switch(self.expr(U32), cases)]

    def _call(self, context: _Context) -> list[Stmt]:
        levels = (
            ["pure"] + ["warp"] * (context.warps and self.has_warps) + ["block"] * (context.block and context.warps)
        )
        functions = [function for function, level in self.functions if level in levels]
        if self.in_function:
            functions = [function for function in functions if function.form != "lambda" and not function.arrays]
        if self.happens(0.8) and any(function.arrays for function in functions):
            functions = [function for function in functions if function.arrays]
        if not functions:
            return self._assign(context)
        function = self.chance.choice(functions)
        arrays: list[str] = []
        for wanted in function.arrays:
            fitting = [
                array.name
                for array in self.arrays
                if array.is_of_block
                and array.length == 0
                and array.type is wanted.type
                and self.modes[array.name] == ("own", 0)
                and array.name not in arrays
            ]
            if not fitting:
                return self._barrier(context) if context.block and self.has_barriers else self._assign(context)
            arrays.append(self.chance.choice(fitting))
        arguments = tuple(self.argument(param.type) for param in function.params)
        return [Call(self.variable(function.type), function.name, arguments, tuple(arrays))]

    def argument(self, kind: Scalar) -> Expr:
        load = self.load(kind, of_block=True) if self.happens(0.5) else None
        return self.expr(kind) if load is None else self.cast(kind, load)

    def _barrier(self, context: _Context) -> list[Stmt]:
        self.new_modes()
        return [Barrier()]

    def _barrier_vote(self, context: _Context) -> list[Stmt]:
        kind = self.chance.choice(["count", "and", "or"])
        wanted = I32 if kind == "count" else BOOL
        uniform = [var for var in self.uniform if var.type is wanted]
        var = self.chance.choice(uniform) if uniform and self.happens(0.6) else self.variable(wanted)
        predicate = self.expr(BOOL)
        self.new_modes()
        return [Barrier(kind, var, predicate)]

    def _kept(self, context: _Context) -> list[Stmt]:
        """A value that is kept over barriers, or replaced by one that needs not be kept."""
        var = self.variable()
        kind = var.type if self.happens(0.7) else self.scalar()
        value = self.unknown(kind) if self.happens(0.5) else self.load(kind) or self.expr(kind, 1)
        before = self._barrier(context) if self.happens(0.8) else []
        replaced = Assign(var, self.given(var.type) if self.happens(0.8) else self.leaf(var.type))
        return [
            Assign(var, self.cast(var.type, value)),
            *before,
            If(self.uniform_expr(BOOL), (replaced, Barrier()), (), "uniform"),
        ]

    def _shuffle(self, context: _Context) -> list[Stmt]:
        var = self.variable(*SHUFFLED)
        kind = self.chance.choice(["", "up", "down", "xor", "xor"])
        argument = Const(U32, self.chance.choice([0, 1, 2, 4, 8, 16, 31])) if self.happens(0.6) else self.expr(U32, 1)
        width = self.chance.choice([32, 32, 32, 16, 8, 2])
        return [Shuffle(kind, var, self.expr(var.type), argument, width)]

    def _vote(self, context: _Context) -> list[Stmt]:
        kind = self.chance.choice(["ballot", "all", "any", "match_any"] + ["match_all"] * self.can_diverge)
        if kind.startswith("match"):
            value = Binary(U32, "&", self.expr(U32), Const(U32, self.chance.choice([1, 3])))
            return [Vote(kind, self.variable(U32), value)]
        return [Vote(kind, self.variable(U32 if kind == "ballot" else BOOL), self.expr(BOOL))]

    def _exchange(self, context: _Context) -> list[Stmt]:
        if self.in_function:
            return self._shuffle(context)
        var = self.variable(U32, F64)
        return [Exchange(var, self.expr(var.type), self.expr(U32, 1))]

    def _return(self, context: _Context) -> list[Stmt]:
        leave: tuple[Stmt, ...] = (Leave("return"),)
        if not self.in_function and self.happens(0.5):
            leave = (Put(0, self.expr(U32)), *leave)
        return [If(self.expr(BOOL), leave)]

    def _leave(self, context: _Context) -> list[Stmt]:
        return [If(self.expr(BOOL), (Leave(self.chance.choice(["break", "continue"])),))]

    # Declarations.

    def new_modes(self) -> None:
        for array in self.visible():
            if array.is_of_block and self.happens(0.8):
                self.modes[array.name] = self.mode(array)

    def mode(self, array: ArrayOf) -> tuple[str, int]:
        kinds = ["own", "read", "read"]
        if array.type in COUNTED:
            kinds.append("atomic " + self.chance.choice(["Add", "Or", "Xor", "Max", "Min", "And"]))
        most = min(launch.threads for launch in self.launches) - 1 if array.length == 1 else 40
        return self.chance.choice(kinds), self.chance.choice([0, self.chance.randint(0, most)])

    def make_launches(self) -> tuple[Launch, ...]:
        return tuple(self._launch() for _ in range(self.chance.choice([1, 2])))

    def _launch(self) -> Launch:
        pick = self.chance
        size = pick.choice(BLOCKS) if self.happens(0.7) else pick.randint(1, 300)
        size = pick.choice([512, 1000, 1024]) if self.happens(0.05) else size
        block = (size, 1, 1)
        if self.happens(0.3):
            block = pick.choice([(16, 9, 1), (5, 3, 4), (1, 70, 1), (8, 8, 1), (4, 4, 8), (32, 2, 1), (3, 11, 2)])
        grid = pick.choice([(1, 1, 1), (2, 1, 1), (3, 1, 1), (2, 2, 1)])
        return Launch(grid, block)

    def struct(self, depth: int = 1) -> Struct:
        fields: list[tuple[str, Scalar | Struct, int]] = []
        for at in range(self.chance.randint(1, 5)):
            if depth and self.happens(0.15):
                fields.append((f"f{at}", self.struct(depth - 1), 0))
            else:
                fields.append((f"f{at}", self.scalar(), self.chance.choice([0, 0, 0, 2, 3, 5, 8])))
        align = self.chance.choice([16, 32]) if self.happens(0.15) else 0
        align = max([align, *(inner.align for _, inner, _ in fields if isinstance(inner, Struct))])
        name = self.fresh(f"{self.name}_S") + ("$" if self.happens(0.05) else "")
        return Struct(name, tuple(fields), self.happens(0.15) and "$" not in name, align)

    def add_params(self) -> tuple[Param, ...]:
        params = []
        for at in range(self.chance.randint(1, 4)):
            kind: Scalar | Struct = self.struct() if at and self.happens(0.5) else self.scalar()
            name = self.fresh("p")
            values = tuple(self.number(scalar) for scalar in _scalars(kind))
            param = Param(name, kind, values)
            params.append(param)
            for member, scalar, length, numbers in members(param):
                if length:
                    self.members.append(ArrayOf(member, scalar, length, "member", numbers))  # type: ignore[arg-type]
                else:
                    self.readable.append(Var(scalar, member))
                    if self.happens(0.3):
                        self.writable.append(Var(scalar, member))
                    else:
                        self.uniform_readable.append(Var(scalar, member))
        return tuple(params)

    def add_arrays(self) -> None:
        pick = self.chance
        for space, most in (("table", 2), ("constant", 1), ("local", 1), ("counters", 1)):
            for _ in range(pick.randint(0, most)):
                kind = pick.choice(COUNTED) if space == "counters" else self.scalar()
                if space == "constant" and kind in FLOATS[:2]:
                    kind = F32
                length = pick.choice([4, 8, 13, 16])
                values = tuple(self.number(kind) for _ in range(length))
                array = ArrayOf(self.fresh(f"{self.name}_{space}"), kind, length, space, values)
                self.arrays.append(array)
                if space == "counters":
                    more = [] if kind is U64 else ["Sub"]  # as in CUDA
                    self.counter_ops[array.name] = pick.choice(["Add", "Or", "Xor", "Max", "Min", "And", *more])
        if self.has_barriers:
            for _ in range(pick.randint(1, 3)):
                space = pick.choice(["shared", "shared", "dynamic", "scratch"])
                length = 1 if self.happens(0.4) and space == "shared" else 0
                array = ArrayOf(self.fresh(f"{self.name}_{space}"), self.scalar(), length, space)
                array = replace(array, is_zeroed=space == "scratch" or self.happens(0.5))
                self.arrays.append(array)
                self.modes[array.name] = ("own" if array.is_zeroed else "unset", 0)

    def add_function(self, level: str) -> None:
        outside = (self.variables, self.readable, self.uniform, self.uniform_readable, self.writable)
        self.variables, self.readable, self.uniform, self.uniform_readable, self.writable = [], [], [], [], []
        self.in_function = True
        params = tuple(Var(self.scalar(), self.fresh("a")) for _ in range(self.chance.randint(1, 3)))
        self.readable += [param for param in params if self.happens(0.75)]
        form = self.chance.choice(
            ["", "", "noinline", "noinline", "reference", "forceinline", "template"] + ["lambda"] * (level == "pure")
        )
        context = _Context(
            block=level == "block", warps=level != "pure", uniform=level == "block", returns=level == "pure", depth=2
        )
        of_block = [array.type for array in self.arrays if array.is_of_block and array.length == 0]
        if level == "block" and of_block:
            self.pointed = [ArrayOf(self.fresh("q"), self.chance.choice(of_block), 0, "shared")]
        before = dict(self.modes)
        self.modes.update((array.name, ("own", 0)) for array in self.pointed)
        body = self.statements(context, self.chance.randint(1, 4))
        if any(self.modes[array.name] != ("own", 0) for array in self.pointed):
            body = (*body, Barrier())
        self.modes, pointed, self.pointed = before, tuple(self.pointed), []
        kind = self.scalar()
        result = self.expr(kind, 1)
        function = Function(
            self.fresh(f"{self.name}_f"),
            kind,
            params,
            tuple(self.variables),
            body,
            result,
            form,
            level != "pure",
            pointed,
        )
        self.in_function = False
        self.variables, self.readable, self.uniform, self.uniform_readable, self.writable = outside
        self.functions.append((function, level))

    def grid_loop(self) -> list[Stmt]:
        length = self.chance.choice([1, 100, 333, 500, 1000])
        arrays = []
        for _ in range(self.chance.randint(1, 2)):
            kind = self.scalar()
            values = tuple(self.number(kind) for _ in range(self.chance.choice([3, 16])))
            arrays.append(ArrayOf(self.fresh(f"{self.name}_global"), kind, length, "global", values))
        self.arrays += arrays
        is_loop = self.happens(0.6)
        counter: Var | Special = (
            Var(self.chance.choice([U32, I32]), self.fresh("i")) if is_loop else Special(U32, "gid")
        )
        self.grid_counter = [(counter, array.name) for array in arrays]
        self.readable.append(counter)
        context = _Context(block=False, warps=False, uniform=False, returns=False, loop=is_loop, depth=2)
        body = self.statements(context, self.chance.randint(0, 3))
        stores = tuple(Store(array.name, counter, self.expr(array.type), True) for array in arrays)
        self.readable.remove(counter)
        self.grid_counter = []
        if isinstance(counter, Var):
            return [GridLoop(counter, arrays[0].name, (*body, *stores))]
        if self.happens(0.5):
            return [If(Binary(BOOL, "<", counter, Const(U32, length)), (*body, *stores))]
        return [If(Binary(BOOL, ">=", counter, Const(U32, length)), (Leave("return"),)), *body, *stores]

    def kernel(self) -> Kernel:
        pick = self.chance
        self.has_barriers, self.has_warps = self.happens(0.65), self.happens(0.5)
        wide = not self.has_warps or self.happens(0.25)
        self.can_diverge = not wide
        self.launches = self.make_launches()
        params = self.add_params()
        self.add_arrays()
        for _ in range(pick.choice([0, 0, 1, 2])):
            levels = ["pure"] + ["warp"] * self.has_warps + ["block"] * 2 * self.has_barriers
            self.add_function(pick.choice(levels))
        if self.has_barriers:
            for kind in (I32, BOOL, I64):
                var = Var(kind, self.fresh("u"))
                self.uniform.append(var)
                self.uniform_readable.append(var)
                self.readable.append(var)
                self.variables.append((var, self.number(kind)))
        body: list[Stmt] = []
        for array in self.arrays:
            if array.is_of_block and not array.is_zeroed:
                body += self._first_store(array)
        if any(array.is_of_block for array in self.arrays):
            body += self._barrier(_Context())
        context = _Context(returns=not (wide and self.has_warps))
        body += self.statements(context, pick.choice([2, 3, 5, 8, 12]))
        body += [statement for _ in self.functions for statement in self._call(context)]
        grid = self.grid_loop() if self.happens(0.3) else []
        is_first = not self.has_barriers and not self.has_warps and self.happens(0.7)
        body = [*grid, *body] if is_first else [*body, *grid]
        slots = 2
        fixed = [param for param in self.uniform_readable if param not in self.uniform] or [Special(U32, "block")]
        for var, _ in self.variables:
            if self.happens(0.6):  # a constant is gone after the front end
                start = self.cast(var.type, pick.choice(fixed)) if var in self.uniform else self.unknown(var.type)
                body.insert(0, Assign(var, start))
        ends: list[Stmt] = []
        for var in (var for var, _ in self.variables if self.happens(0.8)):
            is_cut = var.type in INTEGERS and self.happens(0.4)
            ends.append(Put(slots, self.cast(self.chance.choice(INTEGERS), var) if is_cut else var))
            slots += 1
        ends += self._shared_ends(slots)
        slots += sum(isinstance(end, Put) for end in ends) - (slots - 2)
        return Kernel(
            self.name,
            params,
            tuple(self.arrays),
            tuple(function for function, _ in self.functions),
            tuple(self.variables),
            (*body, *ends),
            self.launches,
            slots,
            wide,
            pick.choice(["", "", "", "", "template", "bounds", "namespace", "dollar"]),
        )

    def _first_store(self, array: ArrayOf) -> list[Stmt]:
        value, tid = self.expr(array.type, 1), Special(U32, "tid")
        thread = self.mode(array)[1] if array.length == 1 else 0
        self.modes[array.name] = ("own", thread)
        if array.length != 1:
            return [Store(array.name, tid, value)]
        return [If(Binary(BOOL, "==", tid, Const(U32, thread)), (Store(array.name, Const(U32, 0), value),))]

    def _shared_ends(self, slot: int) -> list[Stmt]:
        shared = [array for array in self.arrays if array.is_of_block]
        puts = [Put(slot + at, Load(array.type, array.name, Special(U32, "tid"))) for at, array in enumerate(shared)]
        return [Barrier(), *puts] if shared and self.happens(2 * self.reading) else []


def _scalars(kind: Scalar | Struct) -> Sequence[Scalar]:
    if not isinstance(kind, Struct):
        return [kind]
    return [scalar for _, inner, length in kind.fields for scalar in list(_scalars(inner)) * (length or 1)]


def kernel(seed: str, name: str) -> Kernel:
    """Write the kernel of a seed."""
    return _Generator(random.Random(seed), name).kernel()
