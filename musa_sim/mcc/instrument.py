"""Checked builds: device code that tells libmusart of every access to memory before it happens.

One instrumentation serves all checks; which of them run is decided when the program runs. It is applied to optimised
IR: what the optimiser put into registers needs no check, and what is left are the accesses of the program. Functions
and layouts are those of runtime/device_abi.h, section "Checked builds".

Accesses to the function's own variables (allocas) are told with the variable's bounds, and only where an address was
computed from it. Accesses to the context that libmusart keeps for the thread are left out. Everything else is told,
also stack memory that came in through a pointer: libmusart knows the stacks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .command_line import CHECKS
from .device_ir import CONTEXT, LOCATION_OFFSET, SUSPENDING_PREFIX, declare_context
from .host_stubs import leading_type, parameter_list, split_top_level
from .source_places import SourcePlaces

#: these need the calls that this module adds; the others are the runtime's alone
INSTRUMENTED = frozenset({"memory", "race", "init", "sync"})

SHARED_PREFIX = "__musa_sim_shared_"
GLOBALS_TABLE = "__musa_sim_globals"

#: AccessFlags of runtime/device_abi.h; a read of _CARRY may find what nobody wrote, since it only moves it
_READ, _WRITE, _ATOMIC, _CARRY = 1, 2, 4, 8

_DECLARATIONS = """declare void @__musa_sim_check_access(ptr, i64, i32, ptr)
declare void @__musa_sim_check_local(ptr, i64, i32, ptr, ptr, i64, ptr)
declare void @__musa_sim_check_copy(ptr, ptr, i64, i32, ptr)
declare ptr @__musa_sim_check_malloc(i64)
declare void @__musa_sim_check_free(ptr)
"""

_LOCAL = r'%(?:[\w.$-]+|"[^"]*")'
_LOAD = re.compile(rf"^  {_LOCAL} = load (atomic )?(?:volatile )?(.*)$")
_STORE = re.compile(r"^  store (atomic )?(?:volatile )?(.*)$")
_READ_MODIFY_WRITE = re.compile(rf"^  {_LOCAL} = atomicrmw (?:volatile )?\w+ (.*)$")
_COMPARE_EXCHANGE = re.compile(rf"^  {_LOCAL} = cmpxchg (?:weak )?(?:volatile )?(.*)$")
_MEMORY_INTRINSIC = re.compile(r"^  (?:tail |musttail |notail )?call void @llvm\.(memcpy|memmove|memset)\.[\w.]*\(")
_ALLOCA = re.compile(rf"^  ({_LOCAL}) = alloca (.*)$")
#: what the source calls a variable; the second part has the names of temporaries of clang's
_VARIABLE_NAME = re.compile(r'%"?([A-Za-z_]\w*)')
_TEMPORARY = re.compile(r'%"?(?:ref\.tmp|agg\.tmp|tmp|retval|coerce|byval-temp|saved_stack|cleanup)')
_CONTEXT_ADDRESS = re.compile(rf"^  ({_LOCAL}) = [^\n]*@llvm\.threadlocal\.address\.p0\([^\n]*@{CONTEXT}\)")
_ADDRESS_STEP = re.compile(rf"^  ({_LOCAL}) = getelementptr [^\n]*?, ptr ({_LOCAL}), ")
_SUSPENDING_CALL = re.compile(rf"\bcall [^@\n]*@{SUSPENDING_PREFIX}\w*\(")
_DEFINITION = re.compile(r"^define ")
_SIMPLE_SIZES = {"half": 2, "bfloat": 2, "float": 4, "double": 8, "ptr": 8, "fp128": 16, "x86_fp80": 10}


def check_bits(checks: Sequence[str]) -> int:
    """The checks as the fat binary's header has them (runtime/checks.h)."""
    return sum(1 << CHECKS.index(name) for name in checks)


def mark(ir: str) -> str:
    """Keep the optimiser from reading memory that the source would not read: a module before optimisation.

    LLVM may load early what it knows to exist, and would then be seen to race, or to read what nobody wrote. It
    refrains where ThreadSanitizer is asked for; the sanitizer itself is not run.
    """
    return re.sub(r"^(attributes #\d+ = \{)", r"\1 sanitize_thread", ir, flags=re.M)


@dataclass(frozen=True)
class _Access:
    pointer: str
    size: str  # an i64 constant or value
    element: int  # bytes of one scalar in it; 0 when not known
    align: int
    flags: int

    @property
    def word(self) -> int:
        """The third argument of __musa_sim_check_access."""
        return self.flags | _log2(self.element) << 8 | _log2(self.align) << 16


def _log2(value: int) -> int:
    return max(value, 1).bit_length() - 1


def byte_size(kind: str) -> int:
    """Bytes that a value of an IR type takes in memory; 0 when only LLVM knows (structures)."""
    if kind in _SIMPLE_SIZES:
        return _SIMPLE_SIZES[kind]
    integer = re.fullmatch(r"i(\d+)", kind)
    if integer:
        return (int(integer.group(1)) + 7) // 8
    several = re.fullmatch(r"[\[<](\d+) x (.*)[\]>]", kind)
    if several:
        return int(several.group(1)) * byte_size(several.group(2))
    return 0


def _element_size(kind: str) -> int:
    several = re.fullmatch(r"[\[<](\d+) x (.*)[\]>]", kind)
    return _element_size(several.group(2)) if several else byte_size(kind)


def size_of(kind: str) -> str:
    """The size of an IR type as an i64 constant that LLVM folds."""
    return str(byte_size(kind) or f"ptrtoint (ptr getelementptr ({kind}, ptr null, i32 1) to i64)")


def _pointer(operand: str) -> str:
    """`%p` of `ptr %p monotonic`, `@g` of `ptr @g`, the whole of a constant expression."""
    text = operand[len("ptr ") :] if operand.startswith("ptr ") else ""
    name = re.match(r'[%@](?:[\w.$-]+|"[^"]*")', text)
    if name:
        return name.group(0)
    if re.match(r"getelementptr\b|inttoptr\b", text):
        opening = text.index("(")
        _, closing = parameter_list(text, opening)
        return text[: closing + 1]
    return "null" if text.startswith("null") else ""


def _plain(parts: Sequence[str], kind: str, operand: str, flags: int) -> _Access:
    align = next((int(part[len("align ") :]) for part in parts if re.fullmatch(r"align \d+", part)), 1)
    return _Access(_pointer(operand), size_of(kind), _element_size(kind), align, flags)


def _access(line: str) -> _Access | None:
    """What one line of IR does to memory, memory intrinsics left out."""
    load = _LOAD.match(line)
    if load:
        parts = split_top_level(load.group(2))
        return _plain(parts, parts[0], parts[1], _READ | (_ATOMIC if load.group(1) else 0))
    store = _STORE.match(line)
    if store:
        parts = split_top_level(store.group(2))
        return _plain(parts, leading_type(parts[0]), parts[1], _WRITE | (_ATOMIC if store.group(1) else 0))
    update = _READ_MODIFY_WRITE.match(line) or _COMPARE_EXCHANGE.match(line)
    if update:
        parts = split_top_level(update.group(1))
        return _plain(parts, leading_type(parts[1]), parts[0], _READ | _WRITE | _ATOMIC)
    return None


def _argument(text: str) -> tuple[str, int]:
    """(operand, alignment) of a pointer argument with attributes: `ptr noundef align 4 dereferenceable(12) %p`."""
    align = re.search(r"\balign (\d+)", text)
    operand = re.search(r'(?:getelementptr|inttoptr)\b.*$|[%@](?:[\w.$-]+|"[^"]*")$|null$', text)
    return operand.group(0) if operand else "", int(align.group(1)) if align else 1


@dataclass(frozen=True)
class _Variable:
    """A variable of a function: its address, its bytes as an i64 constant or value, what the source calls it."""

    address: str
    size: str
    name: str


def _variable(address: str, allocated: str) -> _Variable | None:
    """Of `%a = alloca [8 x i32], align 16`; None where the number of elements is known at run time only."""
    kind, *rest = split_top_level(allocated)
    if any(re.match(r"i\d+ ", part) for part in rest):
        return None
    name = _VARIABLE_NAME.match(address)
    return _Variable(address, size_of(kind), name.group(1) if name and not _TEMPORARY.match(address) else "")


class _Places:
    """Constants for the places and names that reports tell."""

    def __init__(self, source: SourcePlaces) -> None:
        self._source = source
        self._names: dict[str, str] = {}

    def operand(self, line: str) -> str:
        return self.text(self._source.place(line))

    def text(self, text: str | None) -> str:
        if not text:
            return "ptr null"
        name = self._names.setdefault(text, f"@__musa_sim_place_{len(self._names)}")
        return f"ptr {name}"

    def definitions(self) -> str:
        return "".join(_string(name, place) for place, name in self._names.items())


def _string(name: str, text: str) -> str:
    """A C string as a constant; names are bytes here, and so one character each."""
    escaped = "".join(char if 32 <= ord(char) < 127 and char not in '"\\' else f"\\{ord(char):02X}" for char in text)
    return f'{name} = private unnamed_addr constant [{len(text) + 1} x i8] c"{escaped}\\00"\n'


class _Function:
    """Instruments the lines of one function."""

    def __init__(self, places: _Places, first_number: int) -> None:
        self._places = places
        # addresses in its own variables, and in the context, whose bounds are not looked at
        self._own: dict[str, _Variable | None] = {}
        self.number = first_number

    def line(self, line: str) -> Iterator[str]:
        """The lines that replace one line."""
        own = _ALLOCA.match(line)
        context = _CONTEXT_ADDRESS.match(line)
        step = _ADDRESS_STEP.match(line)
        if own:
            self._own[own.group(1)] = _variable(*own.groups())
        elif context:
            self._own[context.group(1)] = None
        elif step and step.group(2) in self._own:
            self._own[step.group(1)] = self._own[step.group(2)]
        intrinsic = _MEMORY_INTRINSIC.match(line)
        if intrinsic:
            yield from self._memory_intrinsic(line, intrinsic.group(1))
        elif _SUSPENDING_CALL.search(line):
            yield from self._tell_place(line)
        else:
            access = _access(line)
            if access is not None:
                yield from self._check(access, line)
        yield line

    def _check(self, access: _Access, line: str) -> Iterator[str]:
        if not access.pointer:
            return
        told = f"ptr {access.pointer}, i64 {access.size}, i32 {access.word}, {self._places.operand(line)}"
        if access.pointer not in self._own:
            yield f"  call void @__musa_sim_check_access({told}){_debug(line)}"
            return
        variable = self._own[access.pointer]
        if variable is not None and (access.pointer != variable.address or access.size.startswith("%")):
            bounds = f"ptr {variable.address}, i64 {variable.size}, {self._places.text(variable.name)}"
            yield f"  call void @__musa_sim_check_local({told}, {bounds}){_debug(line)}"

    def _memory_intrinsic(self, line: str, name: str) -> Iterator[str]:
        text, _ = parameter_list(line, line.index("("))
        arguments = split_top_level(text)
        target, target_align = _argument(arguments[0])
        size = leading_operand(arguments[2])
        if name == "memset":
            yield from self._check(_Access(target, size, 1, target_align, _WRITE), line)
            return
        source, source_align = _argument(arguments[1])
        # with one side in the function's own variables, only the other is of interest
        if target in self._own or source in self._own:
            yield from self._check(_Access(source, size, 1, source_align, _READ | _CARRY), line)
            yield from self._check(_Access(target, size, 1, target_align, _WRITE), line)
            return
        aligns = _log2(target_align) << 16 | _log2(source_align) << 24
        yield (
            f"  call void @__musa_sim_check_copy(ptr {target}, ptr {source}, i64 {size}, i32 {aligns}, "
            f"{self._places.operand(line)}){_debug(line)}"
        )

    def _tell_place(self, line: str) -> Iterator[str]:
        """A thread that waits says where: the context's last field."""
        name = f"%musa.check.{self.number}"
        self.number += 1
        debug = _debug(line)
        yield f"  {name} = call ptr @llvm.threadlocal.address.p0(ptr @{CONTEXT}){debug}"
        yield f"  {name}.at = getelementptr i8, ptr {name}, i64 {LOCATION_OFFSET}{debug}"
        yield f"  store {self._places.operand(line)}, ptr {name}.at, align 8{debug}"


def leading_operand(argument: str) -> str:
    """`12` of `i64 12`, `%n` of `i64 noundef %n`."""
    return argument.rsplit(" ", 1)[-1]


def _debug(line: str) -> str:
    attached = re.search(r", !dbg !\d+", line)
    return attached.group(0) if attached else ""


# --- variables


_VARIABLE = re.compile(
    r'^(@(?:[\w.$-]+|"[^"]+")) = (?!external |available_externally |appending )([^\n]*?\b(?:global|constant) )(.*)$',
    re.M,
)
_SIMPLE_VALUES = {"undef", "poison", "zeroinitializer"}


def _red_zone(kind: str) -> int:
    """Bytes that follow a variable and belong to nobody: as large as the variable, within reason."""
    return max(64, min(byte_size(kind) or 256, 2048))


def _with_red_zones(ir: str) -> str:
    """Variables with room behind them, so that an index too large does not land in the next variable."""

    def widened(found: re.Match[str]) -> str:
        name, words, rest = found.groups()
        kind = leading_type(rest)
        parts = split_top_level(rest[len(kind) :])
        if parts[0] not in _SIMPLE_VALUES:
            return found.group(0)
        tail = "".join(f", {part}" for part in parts[1:])
        return f"{name} = {words}{{ {kind}, [{_red_zone(kind)} x i8] }} zeroinitializer{tail}"

    return _VARIABLE.sub(widened, ir)


def _globals_table(ir: str) -> str:
    """The table of the module's variables in global memory: {address, size, name}, ended by a null address."""
    rows: list[str] = []
    strings: list[str] = []
    for name, words, rest in _VARIABLE.findall(ir):
        if "thread_local" in words or name.startswith(("@llvm.", "@__musa_sim_")):
            continue
        text = f"@__musa_sim_global_name_{len(rows)}"
        strings.append(_string(text, name.strip('@"')))
        rows.append(f"{{ ptr, i64, ptr }} {{ ptr {name}, i64 {size_of(leading_type(rest))}, ptr {text} }}")
    rows.append("{ ptr, i64, ptr } zeroinitializer")
    table = f"@{GLOBALS_TABLE} = constant [{len(rows)} x {{ ptr, i64, ptr }}] [{', '.join(rows)}]\n"
    return "".join(strings) + table


def _shared_visitors(shared: Mapping[str, Mapping[str, str]]) -> str:
    """Per kernel a function that calls visit(state, address, size, name) for each of its static shared variables.

    A function and not a table, because the addresses are those of the calling operating system thread.
    """
    names: dict[str, str] = {}
    functions: list[str] = []
    for kernel, variables in shared.items():
        body: list[str] = []
        for at, (name, kind) in enumerate(variables.items()):
            text = names.setdefault(name, f"@__musa_sim_shared_name_{len(names)}")
            body.append(f"  %at{at} = call ptr @llvm.threadlocal.address.p0(ptr @{name})\n")
            body.append(f"  call void %visit(ptr %state, ptr %at{at}, i64 {size_of(kind)}, ptr {text})\n")
        functions.append(
            f"define void @{SHARED_PREFIX}{kernel}(ptr %visit, ptr %state) nounwind {{\n{''.join(body)}  ret void\n}}\n"
        )
    return "".join(_string(text, name.strip('"')) for name, text in names.items()) + "".join(functions)


def instrument(ir: str, shared: Mapping[str, Mapping[str, str]], library_directories: Sequence[str]) -> str:
    """A checked module from an optimised one, whose accessors are still opaque.

    `shared`: per kernel its static shared variables and their IR types. `library_directories`: headers in which no
    place is of interest to the user.
    """
    places = _Places(SourcePlaces(ir, library_directories))
    tables = _globals_table(ir) + _shared_visitors(shared)
    lines: list[str] = []
    function: _Function | None = None
    number = 0
    for line in _with_red_zones(ir).split("\n"):
        if _DEFINITION.match(line):
            function = _Function(places, number)
        elif line == "}":
            number = function.number if function else number
            function = None
        elif function is not None:
            lines += function.line(line)
            continue
        lines.append(line)
    text = "\n".join(lines)
    text = re.sub(r"^declare [^\n]*@(?:malloc|free)\([^\n]*\n", "", text, flags=re.M)
    text = re.sub(r"(\bcall [^\n]*@)(malloc|free)\(", r"\1__musa_sim_check_\2(", text)
    return declare_context(text) + _DECLARATIONS + places.definitions() + tables
