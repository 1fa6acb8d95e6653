"""Read from the host module how each launch packs a kernel's arguments.

clang makes a host function for each kernel, its stub, which calls `musaLaunchKernel` with an array of pointers, one per
C++ parameter. The device function's IR signature has one value per register instead. Only the code of the stub shows
which register comes from which parameter, at which offset. So this module reads that code: unoptimised IR, one store
per value. A stub of another form raises InternalError.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..errors import InternalError
from ..ir.functions import arguments_of_calls, calls_of, functions, local_variable_type
from ..ir.instructions import cast, element_address, instruction, memory_intrinsic, variable
from ..ir.memory import access
from ..ir.parameters import Parameter
from ..ir.text import bare, enclosed, last_word, split_list
from ..ir.variables import strings
from ..kernel import Argument, KernelStub, Passing


class _StubBody(NamedTuple):
    """The dataflow of one stub, as far as arguments need it."""

    allocated: dict[str, str]  # a variable's address -> its type
    slots: dict[str, int]  # a variable's address -> index in the launch's array
    fields: dict[str, tuple[str, int]]  # an address -> (variable it points into, offset)
    stores: dict[str, str]  # a value -> the address it is stored at
    widened: dict[str, str]  # an i1 parameter -> the i8 made of it

    @classmethod
    def read(cls, lines: Sequence[str]) -> _StubBody:
        """Read the lines of a stub."""
        array: dict[str, int] = {}
        body = cls({}, {}, {}, {}, {})
        for line in lines:
            item = instruction(line)
            if item is None:
                continue
            made, address, written = variable(item), element_address(item), access(item)
            if made:
                body.allocated[made.address] = made.type
            elif address and address.base.startswith("%kernel_args") and len(address.indices) == 1:
                array[item.result] = int(address.indices[0])
            elif address and len(address.indices) == 2 and address.type[0] in "%{":
                # A value coerced into registers is stored through { i64, double }-like pairs, one eightbyte each; a
                # single-member struct is entered through its own type, always at field 0.
                offset = 8 * int(address.indices[1]) if address.type[0] == "{" else 0
                body.fields[item.result] = (address.base, offset)
            elif address and address.type == "i8" and address.indices[0].isdigit():
                # a class whose first eightbyte holds nothing but empty classes: what it is coerced into starts later
                body.fields[item.result] = (address.base, int(address.indices[0]))
            elif memory_intrinsic(line) == "memcpy":
                target, source = split_list(enclosed(line, line.index("(")))[:2]
                body.fields.setdefault(last_word(source), (last_word(target), 0))
            elif item.opcode == "zext":
                widened = cast(item)
                if widened and (widened.type, widened.target) == ("i1", "i8"):
                    body.widened[widened.value] = item.result
            elif written and written.writes:
                value, place = last_word(written.operands[1]), written.pointer
                if place in array:
                    body.slots[value] = array[place]
                elif place.startswith("%kernel_args"):
                    body.slots[value] = 0
                else:
                    body.stores.setdefault(value, place)
        return body

    def locate(self, value: str) -> tuple[int, int] | None:
        """Return (index, offset) of the parameter that the value was stored into."""
        address = self.stores.get(value)
        offset = 0
        while address is not None and address not in self.slots and address in self.fields:
            address, step = self.fields[address]
            offset += step
        return (self.slots[address], offset) if address in self.slots else None


def _argument(body: _StubBody, parameter: Parameter) -> Argument | None:
    value = parameter.value
    if value in body.slots:
        return Argument(body.slots[value], 0, Passing.MEMORY)
    if value in body.widened:
        place = body.locate(body.widened[value])
        return place and Argument(place[0], place[1], Passing.BOOL)
    place = body.locate(value)
    return place and Argument(place[0], place[1], Passing.VALUE)


def _type_at_launches(host_ir: str, stub: str, position: int) -> str:
    """Return the type of what callers pass by address at this position: that of the temporary they make for it."""
    for at, arguments in calls_of(host_ir, stub):
        kind = local_variable_type(host_ir, last_word(arguments[position]), at)
        if kind:
            return kind
    return ""


def _parameter_types(
    body: _StubBody, parameters: Sequence[Parameter], type_by_address: Callable[[int], str]
) -> tuple[str, ...]:
    positions = {parameter.value: at for at, parameter in enumerate(parameters)}
    types = [""] * len(body.slots)
    for address, index in body.slots.items():
        if address in positions:
            at = positions[address]
            types[index] = parameters[at].byval or type_by_address(at)
        else:
            types[index] = body.allocated.get(address, "")
    return tuple(types)


def read_kernels(host_ir: str) -> tuple[KernelStub, ...]:
    """Return the kernels that a host module registers, in the order of registration.

    Raises InternalError when a stub does not look as clang 16 to 22 write it.
    """
    registered = arguments_of_calls(host_ir, "__cudaRegisterFunction")
    if not registered:
        return ()
    names = strings(host_ir)
    defined = functions(host_ir)
    kernels: list[KernelStub] = []
    for _, stub_argument, name_argument, *_rest in registered:
        stub, text = last_word(stub_argument), last_word(name_argument)
        if bare(stub) not in defined or text not in names:
            raise InternalError(f"kernel stub {stub} is registered but not defined")
        function = defined[bare(stub)]
        parameters = [Parameter(parameter) for parameter in function.parameters]
        body = _StubBody.read(function.code.split("\n"))
        arguments: list[Argument] = []
        for parameter in parameters:
            argument = _argument(body, parameter)
            if argument is None:
                raise InternalError(f"cannot tell where '{parameter.text}' of kernel {names[text]} comes from")
            arguments.append(argument)
        types = _parameter_types(body, parameters, functools.partial(_type_at_launches, host_ir, stub))
        kernels.append(KernelStub(names[text], tuple(arguments), types))
    return tuple(kernels)
