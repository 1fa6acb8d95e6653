"""Run a kernel's tree by NumPy: all threads of a launch are one vector, and branches are masks.

The interpreter is also what says whether a tree is a program with one result: it raises Undefined where threads race,
where not all of a block come to a barrier, or where a warp operation reads from a lane that is not there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from .scalars import F16, I32, U32, Array, Scalar, as_bits, as_stored, converted, rounded
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

FULL = np.uint32(0xFFFFFFFF)
#: the most turns that all loops of one kernel may take together
TURNS = 3000


class Undefined(Exception):
    """The tree is no program with one result."""


class Outcome:
    """The memory after a launch, by name; 'out' is the results of the threads."""

    def __init__(self, memory: dict[str, bytes]) -> None:
        self.memory = memory


def members(param: Param) -> Iterator[tuple[str, Scalar, int, tuple[object, ...]]]:
    """Yield each scalar and array of a parameter: its name, type, length (0: a scalar) and values."""
    values = iter(param.value)

    def walk(name: str, kind: Scalar | Struct, length: int) -> Iterator[tuple[str, Scalar, int, tuple[object, ...]]]:
        if isinstance(kind, Struct):
            for field, inner, count in kind.fields:
                yield from walk(f"{name}.{field}", inner, count)
        else:
            yield name, kind, length, tuple(next(values) for _ in range(length or 1))

    yield from walk(param.name, param.type, 0)


def constants(kind: Scalar, values: Sequence[object]) -> Array:
    """Return numbers as an array of a type."""
    return rounded(kind, np.array(values, dtype=kind.dtype))


def contents(array: ArrayOf) -> Array:
    """Return the initial content of an array: its values, repeated."""
    return np.resize(constants(array.type, array.values or (0,)), array.length)


class _Memory:
    """An array of one kind of memory: where each thread's part begins, and who has touched what since the barrier."""

    def __init__(self, array: ArrayOf, data: Array, base: Array, length: int) -> None:
        self.name, self.data, self.base, self.length = array.name, data, base, length
        self.is_shared = array.is_of_block
        self.is_watched = self.is_shared or array.space in ("global", "counters")
        self.writer = np.full(data.shape if self.is_watched else 0, -1, "i8")
        self.reader = self.writer.copy()
        self.is_set = np.full(self.writer.shape, array.is_zeroed or not self.is_shared)

    def elements(self, index: Array, in_range: bool, mask: Array) -> Array:
        wide = index.astype("u8") if index.dtype.kind == "u" else index.astype("i8").astype("u4").astype("u8")
        if in_range and np.any(wide[mask] >= self.length):
            raise Undefined(f"index out of range of {self.name}")
        return self.base + (wide % np.uint64(self.length)).astype("i8")

    def load(self, elements: Array, mask: Array, threads: Array) -> Array:
        if self.is_watched:
            at, who = elements[mask], threads[mask]
            if np.any((self.writer[at] != -1) & (self.writer[at] != who)):
                raise Undefined(f"read and write of {self.name}")
            if not np.all(self.is_set[at]):
                raise Undefined(f"{self.name} has no value")
            before = self.reader[at]
            self.reader[at] = np.where((before == -1) | (before == who), who, -2)
            self.reader[at[self.reader[at] != who]] = -2
        return self.data[elements]

    def store(self, elements: Array, mask: Array, threads: Array, values: Array) -> None:
        at, who = elements[mask], threads[mask]
        if self.is_watched:
            others = ((self.writer[at] != -1) & (self.writer[at] != who)) | (
                (self.reader[at] != -1) & (self.reader[at] != who)
            )
            self.writer[at] = who
            self.is_set[at] = True
            if np.any(others) or np.any(self.writer[at] != who):
                raise Undefined(f"two threads and {self.name}")
        self.data[at] = values[mask]

    def atomic(self, op: str, elements: Array, mask: Array, values: Array) -> None:
        at = elements[mask]
        if self.is_watched:
            if np.any(self.writer[at] >= 0) or np.any(self.reader[at] != -1) or not np.all(self.is_set[at]):
                raise Undefined(f"atomic and other accesses of {self.name}")
            self.writer[at] = -3
        _ATOMICS[op].at(self.data, at, values[mask])

    def order(self, threads: Array) -> None:
        """Forget who touched the shared memory of the blocks whose threads have come to a barrier."""
        if self.is_shared:
            for base in np.unique(self.base[threads]):
                self.writer[base : base + self.length] = -1
                self.reader[base : base + self.length] = -1


_ATOMICS = {
    "Add": np.add,
    "Sub": np.subtract,
    "And": np.bitwise_and,
    "Or": np.bitwise_or,
    "Xor": np.bitwise_xor,
    "Max": np.maximum,
    "Min": np.minimum,
}

_COMPARE: dict[str, Callable[[Array, Array], Array]] = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
}

_ARITHMETIC: dict[str, Callable[[Array, Array], Array]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "&": np.bitwise_and,
    "|": np.bitwise_or,
    "^": np.bitwise_xor,
    "&&": np.logical_and,
    "||": np.logical_or,
    "min": np.minimum,
    "max": np.maximum,
}


def _divided(a: Array, b: Array) -> Array:
    """Divide integers as C++ does, towards zero."""
    quotient = np.floor_divide(a, b)
    return quotient + ((np.remainder(a, b) != 0) & ((a < 0) != (b < 0)))


def _counted_bits(values: Array, bits: int) -> Array:
    return sum(((values >> np.array(at, values.dtype)) & np.array(1, values.dtype)).astype("u4") for at in range(bits))


class Interpreter:
    """One launch of a kernel."""

    def __init__(self, kernel: Kernel, launch: Launch, warp: int) -> None:
        self.kernel, self.launch, self.warp = kernel, launch, warp
        self.count = count = launch.blocks * launch.threads
        self.gid = np.arange(count)
        self.block, self.tid = self.gid // launch.threads, self.gid % launch.threads
        self.alive = np.ones(count, bool)
        self.turns = 0
        self.out = np.zeros((count, kernel.slots), "u8")
        self.env: dict[str, Array] = {}
        self.arrays: dict[str, _Memory] = {}
        self.functions = {function.name: function for function in kernel.functions}
        self.masks: list[Array | None] = []
        self.left: dict[str, list[Array | None]] = {
            "break": [],
            "continue": [],
            "return": [],
        }  # threads, by loop or call
        self.specials = self._specials()

    def run(self) -> Outcome:
        """Run it.

        Raises:
            Undefined: The kernel has not one result.
        """
        with np.errstate(all="ignore"):
            for param in self.kernel.params:
                for name, kind, length, values in members(param):
                    if length:
                        self._add_local(ArrayOf(name, kind, length, "member", values))  # type: ignore[arg-type]
                    else:
                        self.env[name] = np.repeat(constants(kind, values), self.count)
            for array in self.kernel.arrays:
                self._add_array(array)
            self._declare(self.kernel.variables)
            self.masks.append(self._live_lanes())
            self.body(self.kernel.body, np.ones(self.count, bool), at_top=True)
        memory = {
            array.name: as_stored(array.type, self.arrays[array.name].data).tobytes()
            for array in self.kernel.arrays
            if array.space in ("global", "counters")
        }
        return Outcome({"out": self.out.tobytes(), **memory})

    # Declarations.

    def _specials(self) -> dict[str, Array]:
        launch, tid = self.launch, self.tid
        x, y, _ = launch.block
        facts = {
            "tid": tid,
            "gid": self.gid,
            "threads": np.full(self.count, launch.threads),
            "lane": tid % 32,
            "block": self.block,
            "threadIdx.x": tid % x,
            "threadIdx.y": tid // x % y,
            "threadIdx.z": tid // (x * y),
            "blockIdx.x": self.block % launch.grid[0],
            "blockIdx.y": self.block // launch.grid[0],
            "blockDim.x": np.full(self.count, x),
            "gridDim.x": np.full(self.count, launch.grid[0]),
        }
        return {name: values.astype("u4") for name, values in facts.items()}

    def _add_local(self, array: ArrayOf) -> None:
        values = np.tile(contents(array), self.count)
        self.arrays[array.name] = _Memory(array, values, self.gid * array.length, array.length)

    def _add_array(self, array: ArrayOf) -> None:
        if array.space == "local":
            return self._add_local(array)
        if array.is_of_block:
            length = 1 if array.length == 1 else self.launch.threads
            data = np.zeros(length * self.launch.blocks, array.type.dtype)
            self.arrays[array.name] = _Memory(array, data, self.block * length, length)
        else:
            data = contents(array)
            self.arrays[array.name] = _Memory(array, data, np.zeros(self.count, "i8"), array.length)
        return None

    def _declare(self, variables: Sequence[tuple[Var, object]]) -> None:
        for var, value in variables:
            self.env[var.name] = np.repeat(constants(var.type, [value]), self.count)

    # Expressions: for all threads, though only those of the mask look at memory.

    def value(self, expr: Expr, mask: Array) -> Array:
        if isinstance(expr, Const):
            return np.repeat(constants(expr.type, [expr.value]), self.count)
        if isinstance(expr, Var):
            return self.env[expr.name]
        if isinstance(expr, Special):
            return self.specials[expr.name]
        if isinstance(expr, Cast):
            return converted(expr.type, expr.a.type, self.value(expr.a, mask))
        if isinstance(expr, Load):
            memory = self.arrays[expr.array]
            elements = memory.elements(self.value(expr.index, mask), expr.in_range, mask)
            return memory.load(np.where(mask, elements, memory.base), mask, self.gid)
        if isinstance(expr, Select):
            condition = self.value(expr.condition, mask)
            return np.where(
                condition, self.value(expr.a, mask & condition), self.value(expr.b, mask & ~condition)
            ).astype(expr.type.dtype)
        if isinstance(expr, Unary):
            return self._unary(expr, self.value(expr.a, mask))
        return self._binary(expr, self.value(expr.a, mask), self.value(expr.b, mask))

    def _unary(self, expr: Unary, a: Array) -> Array:
        kind = expr.a.type
        if expr.op == "!":
            return ~a
        if expr.op == "~":
            return ~a
        if expr.op == "-":
            return rounded(kind, -a)
        if expr.op == "popc":
            return _counted_bits(a, kind.bits).astype(expr.type.dtype)
        if expr.op == "brev":
            backwards = np.zeros_like(a)
            for at in range(kind.bits):
                backwards |= ((a >> np.array(at, a.dtype)) & np.array(1, a.dtype)) << np.array(
                    kind.bits - 1 - at, a.dtype
                )
            return backwards
        assert expr.op == "clz"
        smeared = a.copy()
        for shift in (1, 2, 4, 8, 16, 32):
            if shift < kind.bits:
                smeared |= smeared >> np.array(shift, a.dtype)
        return (kind.bits - _counted_bits(smeared, kind.bits)).astype(expr.type.dtype)

    def _binary(self, expr: Binary, a: Array, b: Array) -> Array:
        kind, op = expr.a.type, expr.op
        if op in _COMPARE:
            return _COMPARE[op](a, b)
        if op in ("<<", ">>"):
            count = b & np.array(kind.bits - 1, b.dtype)
            return (a << count if op == "<<" else a >> count).astype(kind.dtype)
        if op in ("/", "%") and kind.is_integer:
            divisor = (b & np.array(15, b.dtype)) + np.array(1, b.dtype)
            quotient = _divided(a, divisor)
            return (quotient if op == "/" else a - quotient * divisor).astype(kind.dtype)
        if op == "/":
            return rounded(kind, (a / b) if kind is not F16 else a.astype("f4") / b.astype("f4"))
        if op == "mulhi":
            return ((a.astype("i8" if kind is I32 else "u8") * b.astype("i8" if kind is I32 else "u8")) >> 32).astype(
                kind.dtype
            )
        return rounded(kind, _ARITHMETIC[op](a, b))

    # Statements. Each returns the threads that go on after it.

    def body(self, statements: Sequence[Stmt], mask: Array, at_top: bool = False) -> Array:
        for statement in statements:
            if not mask.any():
                break
            alive = self.alive.copy()
            mask = self.statement(statement, mask, at_top)
            if at_top and not np.array_equal(alive, self.alive):
                self._refresh(mask)
        return mask

    def _refresh(self, mask: Array) -> None:
        """Have the lanes that are left find out who they are, after others have returned."""
        group = self.block * 64 + self.tid // self.warp
        if np.any(self.alive & ~mask & np.isin(group, group[mask])):
            raise Undefined("lanes return where not all come")
        self.masks[-1] = self._live_lanes()

    def statement(self, statement: Stmt, mask: Array, at_top: bool) -> Array:
        if isinstance(statement, Assign):
            self._assign(statement.var, self.value(statement.value, mask), mask)
        elif isinstance(statement, Store):
            memory = self.arrays[statement.array]
            values = self.value(statement.value, mask)
            elements = memory.elements(self.value(statement.index, mask), statement.in_range, mask)
            memory.store(elements, mask, self.gid, values)
        elif isinstance(statement, Put):
            values = as_bits(statement.value.type, self.value(statement.value, mask))
            self.out[mask, statement.slot] = values[mask]
        elif isinstance(statement, Atomic):
            memory = self.arrays[statement.array]
            values = self.value(statement.value, mask)
            memory.atomic(statement.op, memory.elements(self.value(statement.index, mask), False, mask), mask, values)
        elif isinstance(statement, If):
            return self._if(statement, mask, at_top)
        elif isinstance(statement, For):
            return self._for(statement, mask, at_top)
        elif isinstance(statement, GridLoop):
            return self._grid_loop(statement, mask)
        elif isinstance(statement, Switch):
            return self._switch(statement, mask)
        elif isinstance(statement, Leave):
            if statement.word == "return" and not self.left["return"]:
                self.alive &= ~mask
            else:
                left = self.left[statement.word][-1]
                if left is None:
                    raise Undefined("break in a switch")
                left |= mask
            return np.zeros_like(mask)
        elif isinstance(statement, Barrier):
            self._barrier(statement, mask)
        elif isinstance(statement, Shuffle):
            self._shuffle(statement, mask)
        elif isinstance(statement, Vote):
            self._vote(statement, mask)
        elif isinstance(statement, Exchange):
            source = (self.value(statement.lane, mask) & np.array(31, U32.dtype)).astype("i8")
            self._read_lanes(statement.var, self.value(statement.value, mask), source, mask)
        elif isinstance(statement, Call):
            self._call(statement, mask)
        else:
            assert isinstance(statement, Plain)
        return mask

    def _assign(self, var: Var, values: Array, mask: Array) -> None:
        self.env.setdefault(var.name, np.zeros(self.count, var.type.dtype))  # the counter of a loop
        self.env[var.name] = np.where(mask, values, self.env[var.name]).astype(var.type.dtype)

    def _inside(self, way: str, mask: Array | None) -> Array | None:
        """Return the mask of the lanes in a branch or loop; None where there can be no operations of warps."""
        if way == "plain":
            return None
        return self.masks[-1] if way == "uniform" else mask

    def _if(self, statement: If, mask: Array, at_top: bool) -> Array:
        condition = self.value(statement.condition, mask)
        yes = no = None
        if statement.way == "voted":
            lanes = self._lanes(mask)
            yes = self._ballot(condition & mask)
            no = lanes & ~yes
        at_top = at_top and statement.way == "uniform"
        self.masks.append(self._inside(statement.way, yes))
        after = self.body(statement.then, mask & condition, at_top)
        self.masks[-1] = self._inside_other(statement.way, no)
        after = after | self.body(statement.orelse, mask & ~condition, at_top)
        self.masks.pop()
        if at_top:
            self.masks[-1] = self._live_lanes()
        return after

    def _inside_other(self, way: str, mask: Array | None) -> Array | None:
        if way == "plain":
            return None
        return self.masks[-2] if way == "uniform" else mask

    def _turn(self, mask: Array) -> None:
        self.turns += 1
        if self.turns > TURNS:
            raise Undefined("too many turns")

    def _for(self, loop: For, mask: Array, at_top: bool) -> Array:
        turns = self.value(loop.turns, mask).astype("i8")
        at_top = at_top and loop.way == "uniform"
        after, live = np.zeros_like(mask), self._lanes(mask) if loop.way == "voted" else None
        self.left["break"].append(np.zeros_like(mask))
        self.left["continue"].append(np.zeros_like(mask))
        turn = 0
        while mask.any():
            self._turn(mask)
            self._assign(loop.counter, np.full(self.count, turn), mask)
            if loop.form != "do" or turn:
                more = mask & (turn < turns)
                if live is not None:
                    live = np.where(mask, self._ballot(more), live)
                after, mask = after | (mask & ~more), more
                if not mask.any():
                    break
            self.masks.append(self._inside(loop.way, live))
            mask = self.body(loop.body, mask, at_top)
            self.masks.pop()
            if at_top:
                self.masks[-1] = self._live_lanes()
            mask = mask | self.left["continue"][-1]
            self.left["continue"][-1] = np.zeros_like(mask)
            turn += 1
        self.left["continue"].pop()
        del self.env[loop.counter.name]
        return after | self.left["break"].pop()

    def _grid_loop(self, loop: GridLoop, mask: Array) -> Array:
        length = self.arrays[loop.array].length
        after, at = np.zeros_like(mask), self.gid.copy()
        self.left["break"].append(np.zeros_like(mask))
        self.left["continue"].append(np.zeros_like(mask))
        while True:
            more = mask & (at < length)
            after, mask = after | (mask & ~more), more
            if not mask.any():
                break
            self._turn(mask)
            self._assign(loop.counter, at, mask)
            self.masks.append(None)
            mask = self.body(loop.body, mask)
            self.masks.pop()
            mask = mask | self.left["continue"][-1]
            self.left["continue"][-1] = np.zeros_like(mask)
            at = at + self.count
        self.left["continue"].pop()
        del self.env[loop.counter.name]
        return after | self.left["break"].pop()

    def _switch(self, statement: Switch, mask: Array) -> Array:
        case = self.value(statement.value, mask).astype("u8") % np.uint64(len(statement.cases))
        after = np.zeros_like(mask)
        self.masks.append(None)
        self.left["break"].append(None)
        for number, body in enumerate(statement.cases):
            after |= self.body(body, mask & (case == number))
        self.masks.pop()
        self.left["break"].pop()
        return after

    def _call(self, call: Call, mask: Array) -> None:
        function: Function = self.functions[call.function]
        values = [self.value(argument, mask) for argument in call.arguments]
        outside, left = self.env, self.left
        self.env = {param.name: values[at].astype(param.type.dtype) for at, param in enumerate(function.params)}
        self.left = {"break": [], "continue": [], "return": [np.zeros_like(mask)]}
        self._declare(function.variables)
        for array, name in zip(function.arrays, call.arrays):
            self.arrays[array.name] = self.arrays[name]
        self.masks.append(self.masks[-1] if function.waits else None)
        after = self.body(function.body, mask) | self.left["return"][-1]
        self.masks.pop()
        result = self.value(function.result, after)
        self.env, self.left = outside, left
        self._assign(call.var, result, mask)

    # Statements at which threads wait.

    def _barrier(self, barrier: Barrier, mask: Array) -> None:
        present = np.bincount(self.block[mask], minlength=self.launch.blocks)
        live = np.bincount(self.block[self.alive], minlength=self.launch.blocks)
        if np.any((present != 0) & (present != live)):
            raise Undefined("not all threads come to a barrier")
        if barrier.predicate is not None:
            assert barrier.var is not None
            yes = self.value(barrier.predicate, mask) & mask
            counts = np.bincount(self.block[yes], minlength=self.launch.blocks)
            found = {"count": counts, "and": (counts == live).astype("i8"), "or": (counts > 0).astype("i8")}
            self._assign(barrier.var, found[barrier.kind][self.block], mask)
        for memory in self.arrays.values():
            memory.order(mask)

    def _lanes(self, mask: Array) -> Array:
        """Return the mask of the current context for each thread, which must name just the lanes that are here."""
        lanes = self.masks[-1]
        if lanes is None:
            raise Undefined("an operation of warps where lanes may differ")
        size = self.warp
        group = self.block * 64 + self.tid // size
        named = self.alive & self._is_named(lanes)
        here = np.bincount(group[mask], minlength=1)
        wanted = np.bincount(group[named], minlength=here.size)
        if self.warp == 32 and not self.kernel.wide:
            # the lanes that my own mask names
            for bit in range(32):
                other = self.gid - self.tid % 32 + bit
                exists = mask & (self.tid - self.tid % 32 + bit < self.launch.threads)
                names = exists & ((lanes >> np.uint32(bit)) & np.uint32(1)).astype(bool)
                peers = np.where(exists, other, 0)
                if np.any(names & self.alive[peers] & (~mask[peers] | (lanes[peers] != lanes))):
                    raise Undefined("a mask names lanes that do not come")
                if np.any(exists & ~names & mask[peers] & (lanes[peers] == lanes)):
                    raise Undefined("a lane is not in its mask")
        elif np.any((here[: wanted.size] != 0) & (here[: wanted.size] != wanted[: here.size])):
            raise Undefined("not all lanes of a wide warp come")
        return lanes

    def _is_named(self, lanes: Array) -> Array:
        return ((lanes >> (self.tid % 32).astype("u4")) & np.uint32(1)).astype(bool)

    def _live_lanes(self) -> Array:
        return self._bits(self.alive)

    def _bits(self, yes: Array) -> Array:
        """Return, for each thread, a bit for each of the 32 lanes around it for which `yes` holds."""
        words = np.zeros((self.launch.blocks, -(-self.launch.threads // 32)), "u4")
        np.bitwise_or.at(
            words, (self.block[yes], self.tid[yes] // 32), np.uint32(1) << (self.tid[yes] % 32).astype("u4")
        )
        return words[self.block, self.tid // 32]

    def _ballot(self, yes: Array) -> Array:
        """Ballot among the lanes that are here."""
        if self.kernel.wide:
            raise Undefined("a warp of 128 lanes diverges")
        return self._bits(yes)

    def _read_lanes(self, var: Var, values: Array, source: Array, mask: Array) -> None:
        """Give each lane the value of lane `source` of its 32, or its own if that is not named."""
        lanes = self._lanes(mask)
        other = self.tid - self.tid % 32 + source
        named = mask & ((lanes >> source.astype("u4")) & np.uint32(1)).astype(bool)
        peers = np.where(named, self.gid - self.tid + other, self.gid)
        if np.any(named & ~mask[peers]):
            raise Undefined("a shuffle reads from a lane that has exited")
        self._assign(var, values[peers], mask)

    def _shuffle(self, shuffle: Shuffle, mask: Array) -> None:
        values = self.value(shuffle.value, mask)
        argument = self.value(shuffle.argument, mask).astype("i8")
        lane, width = self.tid % 32, shuffle.width
        within = lane % width
        if shuffle.kind == "":
            source = lane - within + argument % width
        elif shuffle.kind == "xor":
            source = lane ^ (argument % width)
        elif shuffle.kind == "up":
            source = np.where(within >= argument % 32, lane - argument % 32, lane)
        else:
            source = np.where(within + argument % 32 < width, lane + argument % 32, lane)
        self._read_lanes(shuffle.var, values, source, mask)

    def _vote(self, vote: Vote, mask: Array) -> None:
        lanes, values = self._lanes(mask), self.value(vote.value, mask)
        if vote.kind == "ballot":
            return self._assign(vote.var, self._bits(values & mask), mask)
        if vote.kind in ("all", "any"):
            return self._assign(vote.var, self._any(values, lanes, mask, vote.kind == "all"), mask)
        bits = np.zeros(self.count, "u4")
        for bit in range(32):
            exists = mask & (self.tid - self.tid % 32 + bit < self.launch.threads)
            peers = np.where(exists, self.gid - self.tid % 32 + bit, 0)
            same = exists & mask[peers] & (lanes[peers] == lanes) & (values[peers] == values)
            bits |= np.where(same, np.uint32(1) << np.uint32(bit), np.uint32(0))
        if vote.kind == "match_all":
            here = self._bits(mask) & lanes
            alike = self._any(bits == here, lanes, mask, True)
            bits = np.where(alike == 1, here, np.uint32(0))
            if self.kernel.wide and self.warp != 32:
                raise Undefined("match_all in a wide warp")
        return self._assign(vote.var, bits, mask)

    def _any(self, values: Array, lanes: Array, mask: Array, is_all: bool) -> Array:
        """Vote among the lanes that share a mask: those of the warp, or of the 32 around."""
        size = self.warp if self.kernel.wide else 32
        # lanes of one group have one mask, and are of one warp
        group = (self.block * 64 + self.tid // size).astype("u8") << np.uint64(32)
        group = group | (np.uint64(0) if self.kernel.wide else lanes.astype("u8"))
        _, number = np.unique(group, return_inverse=True)
        yes = np.bincount(number[mask & values], minlength=number.max() + 1)
        here = np.bincount(number[mask], minlength=number.max() + 1)
        return ((yes == here) if is_all else (yes > 0))[number].astype("i4")


def run(kernel: Kernel, launch: Launch, warp: int) -> Outcome:
    """Run one launch of a kernel by NumPy."""
    try:
        return Interpreter(kernel, launch, warp).run()
    except (KeyError, IndexError) as error:  # a part of the tree that another one needs was removed
        raise Undefined(f"nothing there: {error}") from error
