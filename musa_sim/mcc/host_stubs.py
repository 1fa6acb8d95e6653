"""What the host pass knows about kernels: how each launch packs its arguments.

`musaLaunchKernel` gets an array of pointers, one per C++ parameter; the device function's IR signature has one value
per register instead. Which register comes from which parameter, at which offset, is recorded nowhere but in the code of
the host stub, so that code is read: unoptimised IR, one store per value. An unexpected shape raises InternalError.
"""

from __future__ import annotations

import enum
import functools
import re
from collections.abc import Callable
from dataclasses import dataclass

from .errors import InternalError


class Passing(enum.Enum):
    """How one IR value of a kernel's signature is made from the launch's argument array."""

    VALUE = "load it"
    BOOL = "load a byte, truncate it"
    MEMORY = "pass the pointer itself"  # byval, or a class of unknown size that is not trivially copyable


@dataclass(frozen=True)
class Argument:
    index: int  # which C++ parameter
    offset: int  # bytes into it
    passing: Passing


@dataclass(frozen=True)
class KernelStub:
    name: str  # the device function's mangled name
    arguments: tuple[Argument, ...]  # one per value of the IR signature
    # the host IR type of each C++ parameter; empty if it is a class that is not trivially copyable, and no launch in
    # this file tells which
    parameter_types: tuple[str, ...] = ()


_NAME = r'@(?:[\w.$-]+|"[^"]*")'
_LOCAL = r'%(?:[\w.$-]+|"[^"]*")'
_STRING = re.compile(rf'^({_NAME}) = private unnamed_addr constant \[\d+ x i8\] c"([^"]*)\\00"', re.M)
_REGISTER = re.compile(rf"call i32 @__cudaRegisterFunction\(ptr [^,]+, ptr ({_NAME}), ptr ({_NAME})")
_DEFINE = re.compile(rf"^define [^\n]*?({_NAME})\(", re.M)
_ALLOCA = re.compile(rf"\s*({_LOCAL}) = alloca (.*)")
_BYVAL = re.compile(r"\bbyval\(")
_GEP_ARGS = re.compile(rf"\s*({_LOCAL}) = getelementptr [^%]*ptr, ptr %kernel_args[\w.]*, i32 (\d+)")
_GEP_FIELD = re.compile(rf"\s*({_LOCAL}) = getelementptr [^%{{]*(%|{{)[^\n]*, ptr ({_LOCAL}), i32 0, i32 (\d+)")
_STORE = re.compile(rf"\s*store (.+) ({_LOCAL}), ptr ({_LOCAL})(?:,|$)")
_MEMCPY = re.compile(
    rf"\s*call void @llvm\.memcpy\.p0\.p0\.i64\(ptr (?:align \d+ )?({_LOCAL}), ptr (?:align \d+ )?({_LOCAL}),"
)
_ZEXT = re.compile(rf"\s*({_LOCAL}) = zext i1 ({_LOCAL}) to i8")


def split_top_level(text: str) -> list[str]:
    """Split a parameter list at its outermost commas."""
    parts: list[str] = []
    depth = start = 0
    for at, char in enumerate(text):
        if char in "([{<":
            depth += 1
        elif char in ")]}>":
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    last = text[start:].strip()
    return [*parts, last] if last else parts


def leading_type(text: str) -> str:
    """The IR type that a parameter or an initialised variable starts with."""
    depth = 0
    for at, char in enumerate(text):
        if char in "([{<":
            depth += 1
        elif char in ")]}>":
            depth -= 1
        elif char in " ," and depth == 0:
            return text[:at]
    return text


def parameter_list(ir: str, opening: int) -> tuple[str, int]:
    """The text between the parenthesis at `opening` and its partner, and the partner's position."""
    depth = 0
    for at in range(opening, len(ir)):
        if ir[at] == "(":
            depth += 1
        elif ir[at] == ")":
            depth -= 1
            if depth == 0:
                return ir[opening + 1 : at], at
    raise InternalError("a function's parameter list does not end")


@dataclass
class _StubBody:
    """The dataflow of one stub, as far as arguments need it."""

    allocated: dict[str, str]  # a variable's address -> its type
    slots: dict[str, int]  # a variable's address -> index in the launch's array
    fields: dict[str, tuple[str, int]]  # an address -> (variable it points into, offset)
    stores: dict[str, str]  # a value -> the address it is stored at
    widened: dict[str, str]  # an i1 parameter -> the i8 made of it

    @classmethod
    def read(cls, lines: list[str]) -> _StubBody:
        array: dict[str, int] = {}
        body = cls({}, {}, {}, {}, {})
        for line in lines:
            if found := _ALLOCA.match(line):
                body.allocated[found.group(1)] = leading_type(found.group(2))
            elif found := _GEP_ARGS.match(line):
                array[found.group(1)] = int(found.group(2))
            elif found := _GEP_FIELD.match(line):
                # A value coerced into registers is stored through { i64, double }-like pairs, one eightbyte each; a
                # single-member struct is entered through its own type, always at field 0.
                offset = 8 * int(found.group(4)) if found.group(2) == "{" else 0
                body.fields[found.group(1)] = (found.group(3), offset)
            elif found := _MEMCPY.match(line):
                body.fields.setdefault(found.group(2), (found.group(1), 0))
            elif found := _ZEXT.match(line):
                body.widened[found.group(2)] = found.group(1)
            elif found := _STORE.match(line):
                _, value, address = found.groups()
                if address in array:
                    body.slots[value] = array[address]
                elif address.startswith("%kernel_args"):
                    body.slots[value] = 0
                else:
                    body.stores.setdefault(value, address)
        return body

    def locate(self, value: str) -> tuple[int, int] | None:
        """(index, offset) of the parameter that the value was stored into."""
        address = self.stores.get(value)
        offset = 0
        while address is not None and address not in self.slots and address in self.fields:
            address, step = self.fields[address]
            offset += step
        return (self.slots[address], offset) if address in self.slots else None


def _argument(body: _StubBody, parameter: str) -> Argument | None:
    value = parameter.split()[-1]
    if value in body.slots:
        return Argument(body.slots[value], 0, Passing.MEMORY)
    if value in body.widened:
        place = body.locate(body.widened[value])
        return place and Argument(place[0], place[1], Passing.BOOL)
    place = body.locate(value)
    return place and Argument(place[0], place[1], Passing.VALUE)


def _type_at_launches(host_ir: str, stub: str, position: int) -> str:
    """The type of what callers pass by address at this position: that of the temporary they make for it."""
    words = f" void {stub}("
    at = host_ir.find(words)
    while at >= 0:
        if host_ir.endswith(("call", "invoke"), 0, at):
            text, _ = parameter_list(host_ir, at + len(words) - 1)
            passed = split_top_level(text)[position].split()[-1]
            made = host_ir.rfind(f" {passed} = alloca ", host_ir.rfind("\ndefine ", 0, at), at)
            if made >= 0:
                return leading_type(host_ir[made : host_ir.index("\n", made)].split(" = alloca ", 1)[1])
        at = host_ir.find(words, at + 1)
    return ""


def _parameter_types(body: _StubBody, parameters: list[str], type_by_address: Callable[[int], str]) -> tuple[str, ...]:
    passed = {text.split()[-1]: text for text in parameters}
    positions = {text.split()[-1]: at for at, text in enumerate(parameters)}
    types = [""] * len(body.slots)
    for address, index in body.slots.items():
        byval = _BYVAL.search(passed.get(address, ""))
        if byval:
            types[index], _ = parameter_list(passed[address], byval.end() - 1)
        elif address in positions:
            types[index] = type_by_address(positions[address])
        else:
            types[index] = body.allocated.get(address, "")
    return tuple(types)


def read_kernels(host_ir: str) -> tuple[KernelStub, ...]:
    """The kernels that a host module registers, in the order of registration.

    Raises InternalError when a stub does not look as clang 16 to 22 write it.
    """
    strings = dict(_STRING.findall(host_ir))
    registered = _REGISTER.findall(host_ir)
    if not registered:
        return ()
    starts = {found.group(1): found for found in _DEFINE.finditer(host_ir)}
    kernels: list[KernelStub] = []
    for stub, name in registered:
        if stub not in starts or name not in strings:
            raise InternalError(f"kernel stub {stub} is registered but not defined")
        found = starts[stub]
        text, closing = parameter_list(host_ir, found.end() - 1)
        parameters = split_top_level(text)
        body = _StubBody.read(host_ir[closing : host_ir.index("\n}", closing)].split("\n"))
        arguments: list[Argument] = []
        for parameter in parameters:
            argument = _argument(body, parameter)
            if argument is None:
                raise InternalError(f"cannot tell where '{parameter}' of kernel {strings[name]} comes from")
            arguments.append(argument)
        types = _parameter_types(body, parameters, functools.partial(_type_at_launches, host_ir, stub))
        kernels.append(KernelStub(strings[name], tuple(arguments), types))
    return tuple(kernels)
