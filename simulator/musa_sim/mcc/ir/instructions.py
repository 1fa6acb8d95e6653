"""Instructions: what each kind of them says."""

from __future__ import annotations

import re
from typing import NamedTuple

from .text import (
    GLOBAL,
    LABEL,
    LOCAL,
    bare,
    closing,
    enclosed,
    global_names,
    last_word,
    lazy,
    leading_type,
    local_names,
    split_list,
    unescape,
)

_INSTRUCTION = re.compile(rf"  (?:({LOCAL}) = )?((?:(?:tail|musttail|notail) )?([\w.]+) ?)")
#: metadata comes last; a quoted text may have the same words
_WITHOUT_METADATA = re.compile(r'(?:[^",]|"[^"]*"|,(?! !))*')
_CALLEE = re.compile(rf'[^@"]*(?:"[^"]*"[^@"]*)*({GLOBAL})\(')
# A calling convention and attributes of the result may come first: `fastcc void @f()`.
_VOID = re.compile(r"(?:[a-z]\w*(?:\([^()]*\))? )*?void ")
_DEBUG = re.compile(r", !dbg (!\d+)")
_BINARY = re.compile(r"((?:(?:nuw|nsw|exact|disjoint) )*)(\S+) ([^,\s]+), ([^,\s]+)$")
_CAST = re.compile(r"((?:nneg |nuw |nsw )*)(\S+) ([^,\s]+) to (\S+)$")
_COMPARE = re.compile(r"(?:samesign )?(\w+) (\S+) ([^,\s]+), ([^,\s]+)$")
#: a value may be a vector with commas in it
_INCOMING = re.compile(rf"\[ (.+?), ({LOCAL}) \]")
_BRANCH = re.compile(rf"i1 ({LOCAL}), label %({LABEL}), label %({LABEL})")
_CASE = re.compile(rf"^    i\d+ (-?\d+|true|false), label ({LOCAL})$", re.M)
_POINTER_FLAGS = re.compile(r"(?:(?:inbounds|nuw|nusw|inrange\([^)]*\)) )*")
_COUNT = re.compile(r"i\d+ ")
_MODIFIERS = re.compile(r"(?:(atomic|weak) )?(volatile )?")
_ALIGN = re.compile(r"align (\d+)$")
_POINTER = re.compile(f"{GLOBAL}|{LOCAL}")
_PURE = frozenset(
    (
        *("add", "sub", "mul", "shl", "or", "and", "xor", "lshr", "ashr", "zext", "sext", "trunc"),
        *("icmp", "select", "load", "getelementptr"),
    )
)
_MEMORY_INTRINSICS = ("memcpy", "memmove", "memset")


class Binary(NamedTuple):
    """The operands of an arithmetic instruction: `nsw i32 %a, %b`."""

    flags: str
    type: str
    left: str
    right: str


class Cast(NamedTuple):
    """The operands of a conversion: `nneg i32 %a to i64`."""

    type: str
    value: str
    target: str


class Compare(NamedTuple):
    """The operands of a comparison: `slt i32 %a, %b`."""

    predicate: str
    type: str
    left: str
    right: str

    def with_index_left(self) -> Compare:
        """Return `n > i` as `i < n`."""
        swapped = {"sgt": "slt", "ugt": "ult"}.get(self.predicate)
        return Compare(swapped, self.type, self.right, self.left) if swapped else self


class ElementAddress(NamedTuple):
    """The operands of getelementptr: `inbounds { i64, i64 }, ptr %a, i32 0, i32 1`."""

    type: str
    base: str  # a value; a constant expression whole
    indices: tuple[str, ...]  # without their types


class Alloca(NamedTuple):
    """A variable of a function: `%a = alloca [4 x i32], align 4`."""

    address: str
    type: str
    elements: str  # how many there are, a value or a number; empty for one
    align: int


class Access(NamedTuple):
    """One access to memory."""

    opcode: str  # load, store, atomicrmw or cmpxchg
    type: str  # of what is read or written
    operands: tuple[str, ...]  # with their types: the pointer first, then the value that is stored or combined
    is_atomic: bool
    is_volatile: bool
    align: int
    operation: str = ""  # of atomicrmw: add, xchg, ...
    is_whole: bool = False  # `unordered`: LLVM never takes it apart, but it has no order

    @property
    def pointer(self) -> str:
        """The address, a constant expression whole; empty if it has an unknown shape."""
        operand = self.operands[0]
        text = operand[len("ptr ") :] if operand.startswith("ptr ") else ""
        name = _POINTER.match(text)  # the ordering of an atomic access may come behind it
        if name:
            return name[0]
        if text.startswith(("getelementptr ", "getelementptr(", "inttoptr ", "inttoptr(")):
            return text[: closing(text, text.index("(")) + 1]
        return "null" if text.startswith("null") else ""

    @property
    def is_given_zero(self) -> bool:
        """Whether the value that it stores or adds is zero."""
        return len(self.operands) > 1 and self.operands[1].split(" ")[1:2] == ["0"]

    @property
    def reads(self) -> bool:
        """Whether it reads."""
        return self.opcode != "store"

    @property
    def writes(self) -> bool:
        """Whether it may write."""
        return self.opcode != "load"


class Instruction:
    """`%result = opcode operands, !metadata`, or without a result; a switch has several lines."""

    result: str  # the value that it computes, with its sigil; empty if there is none
    opcode: str  # `call` also for `tail call`; empty for a debug record
    operands: str  # all that follows the opcode, less the metadata
    body: str  # all that follows the result, less the metadata
    metadata: str  # the text after the operands: `, !dbg !7, !tbaa !8`

    def __init__(self, text: str) -> None:
        self.text = text  # as it is in the module, without the end of its last line

    def __getattr__(self, name: str) -> str:
        """Take the text apart when it is first needed; most instructions are only printed."""
        if name not in Instruction.__annotations__:
            raise AttributeError(name)
        text = self.text
        found = _INSTRUCTION.match(text)
        if not found:
            self.result = self.opcode = self.operands = self.body = self.metadata = ""
        else:
            end = len(text)
            if ", !" in text:
                whole = _WITHOUT_METADATA.match(text) if '"' in text else None
                end = whole.end() if whole else text.index(", !")
            self.result, self.opcode, self.metadata = found[1] or "", found[3], text[end:]
            self.operands, self.body = text[found.end() : end], text[found.start(2) : end]
        return str(self.__dict__[name])

    def text_with(self, operands: str) -> str:
        """Return its text with other operands."""
        end = len(self.text) - len(self.metadata)
        return f"{self.text[: end - len(self.operands)]}{operands}{self.metadata}"

    @lazy
    def uses(self) -> list[str]:
        """The local values that it reads, and the blocks that it names."""
        return local_names(self.body)

    @lazy
    def callee(self) -> str:
        """The bare name of the function that it calls; empty if it calls none, or through a pointer."""
        found = _CALLEE.match(self.operands) if self.opcode in ("call", "invoke") else None
        return bare(found[1]) if found else ""

    @property
    def arguments(self) -> list[str]:
        """The arguments of a call of a function that is named."""
        found = _CALLEE.match(self.operands)
        return split_list(enclosed(self.operands, found.end() - 1)) if found else []

    @property
    def end_of_arguments(self) -> int:
        """The position in the text of the parenthesis that closes them."""
        start = len(self.text) - len(self.metadata) - len(self.operands)
        found = _CALLEE.match(self.operands)
        return closing(self.text, start + found.end() - 1) if found else len(self.text)

    @property
    def is_call_without_result(self) -> bool:
        """Whether it is a call that returns nothing."""
        return self.opcode == "call" and _VOID.match(self.operands) is not None

    @property
    def debug(self) -> str:
        """The name of the node that its debug info starts at: `!7`; empty if it has none."""
        found = _DEBUG.search(self.text)
        return found[1] if found else ""

    @property
    def debug_words(self) -> str:
        """Its debug info, to put behind another instruction: `, !dbg !7`."""
        return f", !dbg {self.debug}" if self.debug else ""

    @property
    def thread_local(self) -> str:
        """The bare name of the thread-local variable whose address it takes; empty if it takes none."""
        return bare(global_names(self.body)[-1]) if self.callee == "llvm.threadlocal.address.p0" else ""

    @property
    def binary(self) -> Binary | None:
        """The operands of an arithmetic instruction; None for any other."""
        found = _BINARY.match(self.operands)
        return Binary(found[1].strip(), found[2], found[3], found[4]) if found else None

    @property
    def cast(self) -> Cast | None:
        """The operands of a conversion; None for any other instruction."""
        found = _CAST.match(self.operands)
        return Cast(found[2], found[3], found[4]) if found else None

    @property
    def compare(self) -> Compare | None:
        """The operands of an integer comparison; None for any other instruction."""
        found = _COMPARE.match(self.operands) if self.opcode == "icmp" else None
        return Compare(*found.groups()) if found else None

    @property
    def element_address(self) -> ElementAddress | None:
        """The operands of getelementptr; None for any other instruction."""
        if self.opcode != "getelementptr":
            return None
        flags = _POINTER_FLAGS.match(self.operands)
        kind, base, *indices = split_list(self.operands[flags.end() if flags else 0 :])
        return ElementAddress(kind, base.partition(" ")[2], tuple(map(last_word, indices)))

    @property
    def alloca(self) -> Alloca | None:
        """The variable that an alloca makes; None for any other instruction."""
        if self.opcode != "alloca":
            return None
        kind, *rest = split_list(self.operands)
        counts = [last_word(part) for part in rest if _COUNT.match(part)]
        align = next((int(found[1]) for part in rest if (found := _ALIGN.match(part))), 1)
        return Alloca(self.result, kind, counts[0] if counts else "", align)

    @lazy
    def access(self) -> Access | None:
        """The access to memory; None for an instruction that has none, and for calls."""
        opcode, rest = self.opcode, self.operands
        if opcode not in ("load", "store", "atomicrmw", "cmpxchg"):
            return None
        modifiers = _MODIFIERS.match(rest)
        assert modifiers, "it also matches an empty text"
        is_atomic = modifiers[1] == "atomic" or opcode in ("cmpxchg", "atomicrmw")
        is_whole = is_atomic and " unordered," in rest
        rest, operation = rest[modifiers.end() :], ""
        if opcode == "atomicrmw":
            operation, _, rest = rest.partition(" ")
        first, second, *more = split_list(rest)
        align = next((int(found[1]) for part in (second, *more) if (found := _ALIGN.match(part))), 1)
        kind, operands = leading_type(second), [first, second]
        if opcode == "load":
            kind, operands = first, [second]
        elif opcode == "store":
            kind, operands = leading_type(first), [second, first]
        is_ordered = is_atomic and not is_whole
        return Access(opcode, kind, tuple(operands), is_ordered, bool(modifiers[2]), align, operation, is_whole)

    @property
    def is_phi(self) -> bool:
        """Whether it chooses a value by the block that control comes from."""
        return self.opcode == "phi"

    @property
    def incoming(self) -> list[tuple[str, str]]:
        """The choices of a phi: (value, name of the block that it comes from)."""
        return [(value, block[1:]) for value, block in _INCOMING.findall(self.operands)]

    def with_incoming(self, incoming: list[tuple[str, str]]) -> Instruction:
        """Return the phi with other choices."""
        ways = ", ".join(f"[ {value}, %{name} ]" for value, name in incoming)
        return Instruction(self.text[: self.text.index("[ ")] + ways)

    @property
    def branch(self) -> tuple[str, str, str] | None:
        """The condition of a branch, its target if true, its target if false; None for other instructions."""
        found = _BRANCH.match(self.operands) if self.opcode == "br" else None
        return (found[1], found[2], found[3]) if found else None

    @property
    def cases(self) -> tuple[str, dict[str, str]]:
        """The value that a switch tests, and the block of each number; nothing for other instructions."""
        if self.opcode != "switch":
            return "", {}
        return self.operands.partition(",")[0].partition(" ")[2], dict(_CASE.findall(self.text))

    @property
    def memory_intrinsic(self) -> str:
        """`memcpy`, `memmove` or `memset` if it calls LLVM's; otherwise empty."""
        name = self.callee.split(".") if self.is_call_without_result else []
        return name[1] if name[0:1] == ["llvm"] and name[1] in _MEMORY_INTRINSICS else ""

    def is_pure(self, functions: str) -> bool:
        """Return whether it only computes its result; calls do if the function's name begins so."""
        return self.opcode in _PURE or (self.opcode == "call" and f" @{functions}" in self.body)

    @property
    def is_fence(self) -> bool:
        """Whether it keeps the optimiser from moving memory accesses over it."""
        return self.opcode == "fence" or (
            self.opcode == "call" and " asm sideeffect " in self.text and "~{memory}" in self.text
        )

    @property
    def may_synchronise(self) -> bool:
        """Whether it is volatile, atomic or a fence; a volatile or atomic store does not count."""
        if self.opcode == "load" and self.operands.startswith(("atomic", "volatile")):
            found = self.access
            return found is not None and (found.is_atomic or found.is_volatile)
        return self.opcode in ("atomicrmw", "cmpxchg", "fence")

    @property
    def returns_nothing(self) -> bool:
        """Whether it returns from a function that has no result."""
        return self.opcode == "ret" and self.operands == "void"


def is_constant(value: str) -> bool:
    """Return whether a value is a number or a truth value that is written out."""
    return value in ("true", "false") or value.removeprefix("-").isdigit()


def source_name(address: str) -> str:
    """Return the source's name of the variable behind a local value; empty for one that clang made."""
    if re.match(r'%"?(?:ref\.tmp|agg\.tmp|tmp|retval|coerce|byval-temp|saved_stack|cleanup)', address):
        return ""
    found = re.match(r"[^\d.][^.]*", bare(address))
    return unescape(found[0]) if found else ""
