"""Write the trees as C++ for mcc: kernels, and a program that runs them and writes out what they left in memory."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from .interpret import members
from .scalars import BF16, BOOL, F16, F32, F64, I32, I64, U32, U64, Scalar
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
    Leave,
    Load,
    Param,
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

PREAMBLE = Path(__file__).with_name("preamble.h").read_text(encoding="utf-8")


def walk(node: Any) -> Iterator[Any]:
    """Yield all dataclasses of a tree."""
    if isinstance(node, tuple) and not isinstance(node, Scalar):
        for part in node:
            yield from walk(part)
    elif dataclasses.is_dataclass(node):
        yield node
        for field in dataclasses.fields(node):
            yield from walk(getattr(node, field.name))


def literal(kind: Scalar, value: Any) -> str:
    """Write a number as a constant of a type."""
    if kind is BOOL:
        return "true" if value else "false"
    if kind.kind == "f":
        suffix = "" if kind is F64 else "f"
        if math.isfinite(value):
            text = f"({float(value).hex()}{suffix})"
        else:
            text = f'__builtin_nan{suffix}("")' if math.isnan(value) else f"__builtin_inf{suffix}()"
            text = f"(-{text})" if value < 0 else text
        return {F16: f"__float2half({text})", BF16: f"__float2bfloat16({text})"}.get(kind, text)
    if kind.bits < 32:
        return f"static_cast<{kind.cxx}>({value})"
    suffix = {I32: "", U32: "u", I64: "ll", U64: "ull"}[kind]
    if value == -(2 ** (kind.bits - 1)):
        return f"(-{-value - 1}{suffix} - 1)"
    return f"{value}{suffix}" if value >= 0 else f"({value}{suffix})"


def converted(to: Scalar, source: Scalar, text: str) -> str:
    """Write a conversion."""
    if source in (F16, BF16):
        text, source = f"{'__half2float' if source is F16 else '__bfloat162float'}({text})", F32
    if to is BOOL:
        return f"({text} != 0)"
    if to is F16 and source is F64:
        return f"__double2half({text})"
    if to in (F16, BF16):
        return f"{'__float2half' if to is F16 else '__float2bfloat16'}(static_cast<float>({text}))"
    return f"static_cast<{to.cxx}>({text})"


_SPECIALS = {
    "tid": "threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)",
    "threads": "blockDim.x * blockDim.y * blockDim.z",
    "block": "blockIdx.x + gridDim.x * blockIdx.y",
    "gid": "block * threads + tid",
    "lane": "tid & 31",
}
_NEEDS = {"gid": ("tid", "threads", "block"), "lane": ("tid",)}
#: in kernels whose blocks and grids are lines, as most are
_FLAT = {
    **_SPECIALS,
    "tid": "threadIdx.x",
    "threads": "blockDim.x",
    "block": "blockIdx.x",
    "gid": "blockIdx.x * blockDim.x + threadIdx.x",
}


class _Writer:
    """Writes one function or kernel."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.returns = "return;"
        self.arrays = {array.name: array for array in kernel.arrays}
        for param in kernel.params:
            for name, kind, length, _ in members(param):
                if length:
                    self.arrays[name] = ArrayOf(name, kind, length, "member")
        self.lines: list[str] = []
        self.depth = 1
        self.names = 0
        self.masks: list[str] = []
        self.is_flat = all(launch.grid[1:] == launch.block[1:] == (1, 1) for launch in kernel.launches)
        self.least = min(launch.threads for launch in kernel.launches)
        self.most = max(launch.threads for launch in kernel.launches)

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def name(self, what: str) -> str:
        self.names += 1
        return f"{what}_{self.names}"

    def specials(self, *used: Any) -> None:
        names = {node.name for node in walk(used) if isinstance(node, Special)}
        found = list(walk(used))
        if any(isinstance(node, (Shuffle, Exchange)) for node in found):
            names |= {"lane", "tid"}
        if any(isinstance(node, Put) for node in found) or any(isinstance(node, GridLoop) for node in found):
            names |= {"gid", "threads"}
        for node in found:
            if isinstance(node, (Load, Store, Atomic)) and self.length_text(node.array) == "threads":
                names.add("threads")
        for name in list(names):
            names |= set(_NEEDS.get(name, ()))
        for name, text in (_FLAT if self.is_flat else _SPECIALS).items():
            if name in names:
                self.line(f"const unsigned {name} = {text};")

    # Expressions.

    def text(self, expr: Expr) -> str:
        if isinstance(expr, Const):
            return literal(expr.type, expr.value)
        if isinstance(expr, (Var, Special)):
            return expr.name
        if isinstance(expr, Cast):
            return converted(expr.type, expr.a.type, self.text(expr.a))
        if isinstance(expr, Load):
            return self.element(expr)
        if isinstance(expr, Select):
            return f"({self.text(expr.condition)} ? {self.text(expr.a)} : {self.text(expr.b)})"
        if isinstance(expr, Unary):
            return self._unary(expr)
        return self._binary(expr)

    def element(self, at: Load | Store | Atomic) -> str:
        array = self.arrays[at.array]
        if array.is_of_block and array.length == 1:
            return at.array if array.space == "shared" else f"{at.array}[0]"
        if isinstance(at, (Load, Store)) and at.in_range:
            text = f"{at.array}[{self.text(at.index)}]"
            return f"__ldg(&{text})" if self.is_cached(at) else text
        index = self.text(at.index)
        if at.index.type is not U32:
            index = f"static_cast<unsigned>({index})"
        if array.is_of_block and (index == "tid" or (isinstance(at.index, Const) and 0 <= at.index.value < self.least)):
            return f"{at.array}[{index}]"
        text = f"{at.array}[{index} % {self.length_text(at.array)}]"
        return f"__ldg(&{text})" if self.is_cached(at) else text

    def is_cached(self, at: Load | Store | Atomic) -> bool:
        """Whether it is a load by __ldg: half of the tables are read so."""
        is_table = self.arrays[at.array].space == "table" and at.array[-1] in "02468"
        return is_table and isinstance(at, Load) and at.type in (I32, U32, I64, U64, F32, F64)

    def length_text(self, name: str) -> str:
        array = self.arrays[name]
        return "threads" if array.is_of_block and array.length != 1 else f"{array.length}u"

    def _unary(self, expr: Unary) -> str:
        a, kind = self.text(expr.a), expr.a.type
        if expr.op == "!":
            return f"!{a}"
        if expr.op == "~":
            return f"static_cast<{kind.cxx}>(~{a})"
        if expr.op == "-":
            return f"(-{a})" if kind.kind == "f" else f"static_cast<{kind.cxx}>(0 - static_cast<{kind.unsigned}>({a}))"
        signed = {U32: "int", U64: "long long"}[kind]
        return f"__{expr.op}{'ll' if kind is U64 else ''}({f'static_cast<{signed}>({a})' if expr.op == 'clz' else a})"

    def _binary(self, expr: Binary) -> str:
        a, b, kind, op = self.text(expr.a), self.text(expr.b), expr.a.type, expr.op
        if op in ("<", "<=", ">", ">=", "==", "!=", "&&", "||"):
            return f"({a} {op} {b})"
        if kind is BOOL:
            return f"static_cast<bool>({a} {op} {b})"
        if op == "*" and kind in (F32, F64):
            return f"__{'f' if kind is F32 else 'd'}mul_rn({a}, {b})"  # which is not fused with a sum
        if kind.kind == "f":
            return f"({a} {op} {b})"
        if op in ("min", "max"):
            return f"{op}({a}, {b})"
        if op == "mulhi":
            return f"__{'u' if kind is U32 else ''}mulhi({a}, {b})"
        if op in ("/", "%"):
            return f"static_cast<{kind.cxx}>({a} {op} (({b} & 15) + 1))"
        if op == ">>":
            return f"static_cast<{kind.cxx}>({a} >> ({b} & {kind.bits - 1}))"
        if op == "<<":
            return f"static_cast<{kind.cxx}>(static_cast<{kind.unsigned}>({a}) << ({b} & {kind.bits - 1}))"
        if op in "&|^" or kind in (U32, U64):
            return f"({a} {op} {b})" if kind.bits >= 32 else f"static_cast<{kind.cxx}>({a} {op} {b})"
        return f"static_cast<{kind.cxx}>(static_cast<{kind.unsigned}>({a}) {op} static_cast<{kind.unsigned}>({b}))"

    # Statements.

    def body(self, statements: Sequence[Stmt], at_top: bool = False) -> None:
        for statement in statements:
            self.statement(statement, at_top)
            returns = any(isinstance(node, Leave) and node.word == "return" for node in walk(statement))
            if at_top and returns and self.masks[0]:
                self.line(f"{self.masks[0]} = __ballot_sync(0xffffffffu, true);")

    def block(self, head: str, statements: Sequence[Stmt], at_top: bool = False, tail: str = "") -> None:
        self.line(f"{head} {{")
        self.depth += 1
        self.body(statements, at_top)
        self.depth -= 1
        self.line(f"}}{tail}")

    def statement(self, statement: Stmt, at_top: bool) -> None:
        if isinstance(statement, Assign):
            self.line(f"{statement.var.name} = {self.text(statement.value)};")
        elif isinstance(statement, Store):
            self.line(f"{self.element(statement)} = {self.text(statement.value)};")
        elif isinstance(statement, Put):
            self.line(f"out[gid * {self.kernel.slots} + {statement.slot}] = bits({self.text(statement.value)});")
        elif isinstance(statement, Atomic):
            self.line(f"atomic{statement.op}(&{self.element(statement)}, {self.text(statement.value)});")
        elif isinstance(statement, If):
            self._if(statement, at_top)
        elif isinstance(statement, For):
            self._for(statement, at_top)
        elif isinstance(statement, GridLoop):
            i, length = statement.counter.name, self.arrays[statement.array].length
            kind = statement.counter.type.cxx
            stride = "blockDim.x * gridDim.x" if self.is_flat else "threads * gridDim.x * gridDim.y"
            self.block(f"for ({kind} {i} = gid; {i} < {length}; {i} += {stride})", statement.body)
        elif isinstance(statement, Switch):
            self.line(f"switch ({self.text(statement.value)} % {len(statement.cases)}u) {{")
            for number, body in enumerate(statement.cases):
                is_last = number == len(statement.cases) - 1
                self.block("default:" if is_last else f"case {number}:", body, tail=" break;")
            self.line("}")
        elif isinstance(statement, Leave):
            self.line(self.returns if statement.word == "return" else f"{statement.word};")
        elif isinstance(statement, Barrier):
            call = f"__syncthreads{'_' if statement.kind else ''}{statement.kind}"
            if statement.predicate is None:
                self.line(f"{call}();")
            else:
                assert statement.var is not None
                found = f"{call}({self.text(statement.predicate)})"
                # of _and and _or only whether it is 0 is known
                found = found if statement.kind == "count" else f"({found} != 0)"
                self.line(f"{statement.var.name} = {found};")
        elif isinstance(statement, (Shuffle, Exchange, Vote)):
            self._warp_operation(statement)
        elif isinstance(statement, Call):
            function = next(f for f in self.kernel.functions if f.name == statement.function)
            arguments = [self.text(argument) for argument in statement.arguments]
            if function.waits:
                arguments = [self.mask(), self.guard(), *arguments]
            arguments += statement.arrays
            template = "<3>" if function.form == "template" else ""
            if function.form == "reference":
                self.line(f"{function.name}({', '.join([statement.var.name, *arguments])});")
            else:
                self.line(f"{statement.var.name} = {function.name}{template}({', '.join(arguments)});")
        else:
            self.line(statement.text)

    def mask(self) -> str:
        return "0xffffffffu" if self.kernel.wide and self.masks[-1] == "m0" else self.masks[-1]

    def guard(self) -> str:
        """The lanes that exist: a wide warp's operations name all lanes."""
        return "guard" if self.masks[-1] == "mask" else self.masks[-1]

    def _inside(self, way: str, mask: str) -> str:
        return {"plain": "", "uniform": self.masks[-1] if self.masks else ""}.get(way, mask)

    def _if(self, statement: If, at_top: bool) -> None:
        condition, yes, no = self.text(statement.condition), "", ""
        if statement.way == "voted":
            taken, yes, no = self.name("taken"), self.name("yes"), self.name("no")
            self.line(f"const bool {taken} = {condition};")
            self.line(f"const unsigned {yes} = __ballot_sync({self.masks[-1]}, {taken});")
            self.line(f"const unsigned {no} = {self.masks[-1]} & ~{yes};")
            condition = taken
        at_top = at_top and statement.way == "uniform"
        before = self.masks
        self.masks = [*before, self._inside(statement.way, yes)]
        self.block(f"if ({condition})", statement.then, at_top)
        if statement.orelse:
            self.masks = before
            self.masks = [*before, self._inside(statement.way, no)]
            self.block("else", statement.orelse, at_top)
        self.masks = before

    def _for(self, loop: For, at_top: bool) -> None:
        i, turns = loop.counter.name, self.text(loop.turns)
        before, live = self.masks, ""
        if not isinstance(loop.turns, Const):
            name = self.name("turns")
            self.line(f"const int {name} = {turns};")
            turns = name
        at_top = at_top and loop.way == "uniform"
        if loop.way == "voted":
            live, more = self.name("live"), self.name("more")
            self.line(f"unsigned {live} = {before[-1]};")
            self.line(f"for (int {i} = 0;; ++{i}) {{")
            self.depth += 1
            self.line(f"const bool {more} = {i} < {turns};")
            self.line(f"{live} = __ballot_sync({live}, {more});")
            self.line(f"if (!{more}) break;")
            self.masks = [*before, live]
            self.body(loop.body)
            self.depth -= 1
            self.line("}")
        else:
            self.masks = [*before, self._inside(loop.way, "")]
            if loop.form == "for":
                self.block(f"for (int {i} = 0; {i} < {turns}; ++{i})", loop.body, at_top)
            else:
                self.line("{")
                self.depth += 1
                if loop.form == "while":
                    self.line(f"int {i} = -1;")
                    self.block(f"while (++{i} < {turns})", loop.body, at_top)
                else:
                    self.line(f"int {i} = 0;")
                    self.block("do", loop.body, at_top, f" while (++{i} < {turns});")
                self.depth -= 1
                self.line("}")
        self.masks = before

    def _warp_operation(self, statement: Shuffle | Exchange | Vote) -> None:
        var, value, mask = statement.var.name, self.text(statement.value), self.mask()
        kind = statement.value.type
        if isinstance(statement, Vote):
            if statement.kind == "match_all":
                self.line(f"{{ int same; {var} = __match_all_sync({mask}, {value}, &same); }}")
            else:
                call = f"__{statement.kind}_sync({mask}, {value})"
                self.line(f"{var} = {f'({call} != 0)' if statement.kind in ('all', 'any') else call};")
            return
        lines = [f"const {kind.cxx} own = {value};"]
        if isinstance(statement, Exchange):
            lines.append(f"const unsigned source = {self.text(statement.lane)} & 31;")
            lines.append(f"{_swap(kind)}[tid] = own;")
            lines.append(f"__syncwarp({mask});")
            lines.append(
                f"if ({self.guard()} >> source & 1) {var} = {_swap(kind)}[(tid & ~31u) + source]; else {var} = own;"
            )
            lines.append(f"__syncwarp({mask});")
        else:
            width, first = statement.width, f"(lane & {statement.width - 1})"
            argument = f"{self.text(statement.argument)} & {width - 1 if statement.kind in ('', 'xor') else 31}"
            lines.append(f"const unsigned argument = {argument};")
            source = {
                "": f"(lane & ~{width - 1}u) + argument",
                "xor": "lane ^ argument",
                "up": f"{first} >= argument ? lane - argument : lane",
                "down": f"{first} + argument < {width} ? lane + argument : lane",
            }[statement.kind]
            lines.append(f"const unsigned source = {source};")
            under = "_" if statement.kind else ""
            lines.append(f"const {kind.cxx} got = __shfl{under}{statement.kind}_sync({mask}, own, argument, {width});")
            lines.append(f"if ({self.guard()} >> source & 1) {var} = got; else {var} = own;")
        self.line("{")
        self.depth += 1
        for line in lines:
            self.line(line)
        self.depth -= 1
        self.line("}")


def _swap(kind: Scalar) -> str:
    return f"swap_{kind.cxx.replace(' ', '_').strip('_')}"


def _declared(kind: Scalar | Struct) -> str:
    return kind.name if isinstance(kind, Struct) else kind.cxx


def structs_of(kernel: Kernel) -> list[Struct]:
    """Return the structs of a kernel's parameters, those within others first."""
    found: dict[str, Struct] = {}

    def add(kind: Scalar | Struct) -> None:
        if isinstance(kind, Struct):
            for _, inner, _ in kind.fields:
                add(inner)
            found[kind.name] = kind

    for param in kernel.params:
        add(param.type)
    return list(found.values())


def struct_text(struct: Struct) -> str:
    """Write a struct."""
    fields = " ".join(
        f"{_declared(kind)} {name}{f'[{length}]' if length else ''};" for name, kind, length in struct.fields
    )
    align = f"alignas({struct.align}) " if struct.align else ""
    if struct.template:
        return (
            f"template <char C> struct {struct.name}_of {{ struct {align}Inner {{ {fields} }}; }};\n"
            f"using {struct.name} = {struct.name}_of<'<'>::Inner;"
        )
    return f"struct {align}{struct.name} {{ {fields} }};"


def function_text(kernel: Kernel, function: Function, at: int) -> str:
    """Write a device function; a lambda as a variable of the kernel."""
    writer = _Writer(kernel)
    writer.arrays.update((array.name, array) for array in function.arrays)
    result = writer.text(function.result)
    writer.returns = f"return {result};"
    writer.masks = ["mask"] if function.waits else [""]
    params = [f"{var.type.cxx} {var.name}" for var in function.params]
    if function.waits:
        params = ["unsigned mask", "unsigned guard", *params]
    params += [f"{array.type.cxx}* {array.name}" for array in function.arrays]
    if function.form == "reference":
        writer.returns = f"{{ result = {result}; return; }}"
        params.insert(0, f"{function.type.cxx}& result")
        head = f"__device__ __noinline__ void {function.name}({', '.join(params)}) {{"
        tail = "}"
    elif function.form == "lambda":
        writer.depth = 2
        head = f"    const auto {function.name} = []({', '.join(params)}) -> {function.type.cxx} {{"
        tail = "    };"
    else:
        words = {"noinline": "__noinline__ ", "forceinline": "__forceinline__ "}.get(function.form, "")
        template = "template <int N> " if function.form == "template" else ""
        head = f"{template}__device__ {words}{function.type.cxx} {function.name}({', '.join(params)}) {{"
        tail = "}"
    writer.specials(function.body, function.result)
    for var, value in function.variables:
        writer.line(f"{var.type.cxx} {var.name} = {literal(var.type, value)};")
    writer.body(function.body)
    writer.line(writer.returns)
    return "\n".join([head, *writer.lines, tail])


def kernel_text(kernel: Kernel) -> str:
    """Write a kernel with what it needs."""
    parts = [struct_text(struct) for struct in structs_of(kernel)]
    for array in kernel.arrays:
        if array.space == "constant":
            values = ", ".join(literal(array.type, value) for value in array.values)
            parts.append(f"__constant__ {array.type.cxx} {array.name}[{array.length}] = {{{values}}};")
    parts += [function_text(kernel, f, 0) for f in kernel.functions if f.form != "lambda"]
    writer = _Writer(kernel)
    _declare_arrays(writer)
    parts.append(f"{_head(kernel)} {{")
    parts += writer.lines
    writer.lines = []
    parts += [function_text(kernel, f, 0) for f in kernel.functions if f.form == "lambda"]
    for var, value in kernel.variables:
        type_text = "W" if kernel.style == "template" and var.type is U32 else var.type.cxx
        writer.line(f"{type_text} {var.name} = {literal(var.type, value)};")
    writer.masks = [""]
    if uses_warps(kernel):
        writer.masks = ["m0"]
        writer.line("unsigned m0 = __ballot_sync(0xffffffffu, true);")
    writer.body(kernel.body, at_top=True)
    text = "\n".join([*parts, *writer.lines, "}"])
    return f"namespace n$ {{ namespace {{\n{text}\n}} }}" if kernel.style == "namespace" else text


def uses_warps(kernel: Kernel) -> bool:
    """Whether lanes of a warp wait for each other in it."""
    return any(
        isinstance(node, (Shuffle, Vote, Exchange))
        or (isinstance(node, (If, For)) and node.way == "voted")
        or (isinstance(node, Call) and any(f.name == node.function and f.waits for f in kernel.functions))
        for node in walk(kernel.body)
    )


def _name(kernel: Kernel) -> str:
    return kernel.name + ("$" if kernel.style == "dollar" else "")


def _head(kernel: Kernel) -> str:
    params = [f"{_declared(param.type)} {param.name}" for param in kernel.params]
    for array in kernel.arrays:
        if array.space == "table":
            params.append(f"const {array.type.cxx}* {'__restrict__ ' if array.name[-1] in '048' else ''}{array.name}")
        elif array.space in ("global", "counters", "scratch"):
            all_blocks = "_of_blocks" if array.space == "scratch" else ""
            restrict = "__restrict__ " if array.name[-1] in "159" else ""
            params.append(f"{array.type.cxx}* {restrict}{array.name}{all_blocks}")
    template = "template <class W, int N> " if kernel.style == "template" else ""
    most = max(launch.threads for launch in kernel.launches)
    bounds = f"__launch_bounds__({most}) " if kernel.style == "bounds" else ""
    return f"{template}__global__ void {bounds}{_name(kernel)}({', '.join([*params, 'u64* out'])})"


def _declare_arrays(writer: _Writer) -> None:
    kernel = writer.kernel
    used = list(walk((kernel.body, tuple(f.body for f in kernel.functions))))
    dynamic = [array for array in kernel.arrays if array.space == "dynamic"]
    zeroed = [array for array in kernel.arrays if array.space in ("shared", "dynamic") and array.is_zeroed]
    index = (Special(U32, "tid"), Special(U32, "threads"))
    for array in kernel.arrays:
        if array.space == "shared":
            length = "" if array.length == 1 else f"[{writer.most}]"
            writer.line(f"__shared__ {array.type.cxx} {array.name}{length};")
        elif array.space == "local":
            values = ", ".join(literal(array.type, value) for value in array.values)
            writer.line(f"{array.type.cxx} {array.name}[{array.length}] = {{{values}}};")
    for kind in {node.value.type for node in used if isinstance(node, Exchange)}:
        writer.line(f"__shared__ {kind.cxx} {_swap(kind)}[{writer.most}];")
    if len(dynamic) == 1:
        writer.line(f"extern __shared__ {dynamic[0].type.cxx} {dynamic[0].name}[];")
    elif dynamic:
        writer.line(f"extern __shared__ __align__(16) unsigned char dynamic_{kernel.name}[];")
    scratch = [array for array in kernel.arrays if array.space == "scratch"]
    specials = (Special(U32, "block"),) if scratch else ()
    writer.specials(kernel.body, specials, index if zeroed or scratch or len(dynamic) > 1 else ())
    for array in scratch:
        length = "1" if array.length == 1 else "threads"
        writer.line(f"{array.type.cxx}* const {array.name} = {array.name}_of_blocks + block * {length};")
    if len(dynamic) > 1:
        for at, array in enumerate(dynamic):
            kind = array.type.cxx
            address = f"dynamic_{kernel.name} + {8 * at} * threads"
            writer.line(f"{kind}* const {array.name} = reinterpret_cast<{kind}*>({address});")
    for array in zeroed:
        zero = literal(array.type, 0)
        if array.length == 1:
            element = array.name if array.space == "shared" else f"{array.name}[0]"
            writer.line(f"if (tid == 0) {element} = {zero};")
        else:
            writer.line(f"{array.name}[tid] = {zero};")
    if zeroed:
        writer.line("__syncthreads();")


def _initializer(param: Param, scope: str) -> str:
    values = iter(param.value)

    def write(kind: Scalar | Struct, length: int) -> str:
        if isinstance(kind, Struct):
            return "{" + ", ".join(write(inner, count) for _, inner, count in kind.fields) + "}"
        if length:
            return "{" + ", ".join(literal(kind, next(values)) for _ in range(length)) + "}"
        return literal(kind, next(values))

    text = write(param.type, 0)
    return f"{scope}{param.type.name}{text}" if isinstance(param.type, Struct) else text


def launch_text(kernel: Kernel, number: int) -> str:
    """Write the host function that makes the launches of a kernel and writes out their memory."""
    dynamic = sum(array.space == "dynamic" for array in kernel.arrays)
    lines = ["void run() {"]
    scope = "n$::" if kernel.style == "namespace" else ""
    template = "<unsigned, 5>" if kernel.style == "template" else ""
    buffers = [array for array in kernel.arrays if array.space in ("table", "global", "counters", "scratch")]
    for at, launch in enumerate(kernel.launches):
        lines.append("    {")
        for array in buffers:
            values = ", ".join(literal(array.type, value) for value in array.values or (0,))
            kind = "unsigned char" if array.type is BOOL else array.type.cxx
            length = array.length if array.space != "scratch" else launch.blocks * (array.length or launch.threads)
            pointer = f"device(std::vector<{kind}>{{{values}}}, {length})"
            pointer = f"reinterpret_cast<bool*>({pointer})" if array.type is BOOL else pointer
            lines.append(f"        auto* {array.name} = {pointer};")
        size = launch.blocks * launch.threads * kernel.slots
        lines.append(f"        u64* out = device(std::vector<u64>{{0}}, {size});")
        arguments = [_initializer(param, scope) for param in kernel.params]
        arguments += [array.name for array in buffers]
        bytes_text = f", {8 * dynamic * launch.threads}" if dynamic else ""
        grid, block = (", ".join(map(str, size)) for size in (launch.grid, launch.block))
        lines.append(
            f"        {scope}{_name(kernel)}{template}<<<dim3({grid}), dim3({block}){bytes_text}>>>"
            f"({', '.join([*arguments, 'out'])});"
        )
        lines.append(f"        begin({number}, {at});")
        lines.append(f"        finish(out, {size});")
        for array in buffers:
            if array.space in ("global", "counters"):
                lines.append(f"        finish({array.name}, {array.length});")
        lines.append("    }")
    return "\n".join([*lines, "}"])


def program_text(kernels: Sequence[Kernel]) -> str:
    """Write a program that runs the kernels from the one on that its argument names."""
    parts = [
        f"namespace c{number} {{\n{kernel_text(kernel)}\n{launch_text(kernel, number)}\n}}\n"
        for number, kernel in enumerate(kernels)
    ]
    calls = "".join(f"    if (first <= {number}) c{number}::run();\n" for number in range(len(kernels)))
    main = f"int main(int argc, char** argv) {{\n    const int first = argc > 1 ? atoi(argv[1]) : 0;\n{calls}}}\n"
    return "\n".join([PREAMBLE, *parts, main])
