"""The host module: read how launches pass arguments, embed the device images, and replace CUDA's names by MUSA's.

clang makes a host function for each kernel, its stub, which calls `musaLaunchKernel` with an array of pointers, one per
C++ parameter. The device function's IR signature has one value per register instead. Only the code of the stub shows
which register comes from which parameter, at which offset. So this module reads that code: unoptimised IR, one store
per value. A stub of another form raises InternalError.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from .errors import InternalError
from .ir.blocks import instructions_of
from .ir.pieces import Variable
from .ir.text import bare, global_name, last_word, replace_names, split_list, string
from .ir.types import Parameter
from .kernel import Argument, KernelStub, Passing

if TYPE_CHECKING:
    from pathlib import Path

    from .ir.instructions import Alloca, Instruction
    from .ir.module import Module

#: The text that the host pass embeds; the device image replaces it.
PLACEHOLDER = "MUSA_SIM_FATBIN_PLACEHOLDER"
#: the name of an object's images, local to the object
_IMAGE = "__musa_sim_images"
_REGISTER = "__cudaRegisterVar"
#: the alignment in bytes that x86-64 gives every argument in memory
_LEAST_IN_MEMORY = 8


def registered_variables(host: Module) -> frozenset[str]:
    """Return the bare names of the device's variables that a host module registers."""
    if _REGISTER not in host.declarations:
        return frozenset()
    names = (last_word(call.arguments[3]) for call in host.calls_of(_REGISTER))
    return frozenset(host.strings[name] for name in names if name in host.strings)


class _Position(NamedTuple):
    """A position in a variable of a stub."""

    variable: str  # its address; a parameter may be one
    offset: int


class _StubBody(NamedTuple):
    """The flow of the arguments through one stub."""

    allocated: dict[str, Alloca]  # by address
    slots: dict[str, int]  # a variable's address -> index in the launch's array
    fields: dict[str, _Position]  # an address that is computed -> what it points to
    stores: dict[str, _Position]  # a value -> where it is stored
    copies: dict[_Position, _Position]  # one position -> the position that its content is copied to
    #: a bool, a vector of three, an integer -> the value of whole bytes, of four elements, the pointer made of it
    converted: dict[str, str]
    size: int  # of the launch's array

    @classmethod
    def read(cls, items: Sequence[Instruction]) -> _StubBody:
        """Read the instructions of a stub."""
        made = [found for item in items if (found := item.alloca)]
        # the launch's array is the only variable with a number of elements
        array = next((one for one in made if one.elements), None)
        elements = {array.address: 0} if array else {}
        size = int(array.elements) if array else 0
        body = cls({one.address: one for one in made}, {}, {}, {}, {}, {}, size)
        loaded: dict[str, _Position] = {}
        for item in items:
            address, touched = item.element_address, item.access
            if address and address.base in elements and len(address.indices) == 1:
                elements[item.result] = int(address.indices[0])
            elif address and len(address.indices) == 2 and address.type[0] in "%{":
                # A value coerced into registers is stored through { i64, double }-like pairs, one eightbyte each; a
                # single-member struct is entered through its own type, always at field 0.
                body.enter(item.result, address.base, 8 * int(address.indices[1]) if address.type[0] == "{" else 0)
            elif address and address.type == "i8" and address.indices[0].isdigit():
                # a class whose first eightbyte holds nothing but empty classes: what it is coerced into starts later
                body.enter(item.result, address.base, int(address.indices[0]))
            elif item.memory_intrinsic == "memcpy":
                target, source = map(last_word, item.arguments[:2])
                body.copies.setdefault(body.position(source), body.position(target))
            elif item.opcode == "zext":
                widened = item.cast
                if widened and (widened.type, widened.target) == ("i1", "i8"):
                    body.converted[widened.value] = item.result
            elif item.opcode == "inttoptr" and item.cast:
                # a class of one pointer, which clang may coerce into i64
                body.converted[item.cast.value] = item.result
            elif item.opcode == "shufflevector":
                body.converted[last_word(split_list(item.operands)[0])] = item.result
            elif touched and touched.opcode == "load":
                loaded[item.result] = body.position(touched.pointer)
            elif touched and touched.opcode == "store":
                value, pointer = last_word(touched.operands[1]), touched.pointer
                if pointer in elements:
                    body.slots[value] = elements[pointer]
                elif value in loaded:
                    body.copies.setdefault(loaded[value], body.position(pointer))
                else:
                    body.stores.setdefault(value, body.position(pointer))
        return body

    def enter(self, address: str, base: str, step: int) -> None:
        """Note an address that is computed from another one."""
        position = self.position(base)
        self.fields[address] = position._replace(offset=position.offset + step)

    def position(self, address: str) -> _Position:
        """Return the object that an address points to."""
        return self.fields.get(address, _Position(address, 0))

    def locate(self, position: _Position | None) -> tuple[int, int] | None:
        """Return (index, offset) of the parameter that a position belongs to, or is copied to."""
        for _ in range(len(self.copies) + 1):
            if position is None or position.variable in self.slots:
                return position and (self.slots[position.variable], position.offset)
            whole = self.copies.get(_Position(position.variable, 0))
            position = self.copies.get(position) or (
                whole and _Position(whole.variable, whole.offset + position.offset)
            )
        return None

    def is_written(self, slot: int) -> bool:
        """Return whether anything is put into the variable that a slot of the launch's array points to."""
        return any(
            self.slots.get(position.variable) == slot for position in (*self.stores.values(), *self.copies.values())
        )


def _argument(body: _StubBody, parameter: Parameter) -> Argument | None:
    value = parameter.value
    if value in body.slots:
        return Argument(body.slots[value], 0, Passing.MEMORY)
    kind = Passing.MEMORY if parameter.byval else Passing.BOOL if parameter.type == "i1" else Passing.VALUE
    stored = _Position(value, 0) if parameter.byval else body.stores.get(body.converted.get(value, value))
    position = body.locate(stored)
    return position and Argument(*position, kind)


def _type_at_launches(module: Module, stub: str, position: int) -> str:
    """Return the type of the temporary object whose address callers pass at this position."""
    for function in module.callers_of(stub):
        variables = {made.address: made.type for item in instructions_of(function.blocks) if (made := item.alloca)}
        for item in function.calls_of(stub):
            kind = variables.get(last_word(item.arguments[position]), "")
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
            types[index] = body.allocated[address].type if address in body.allocated else ""
    return tuple(types)


def _parameter_alignments(body: _StubBody, parameters: Sequence[Parameter]) -> tuple[int, ...]:
    """Return the alignment of each C++ parameter.

    It is 0 for an argument in memory: such an argument is aligned to 8 even if its class is not.
    """
    passed = {parameter.value: parameter for parameter in parameters}
    alignments = [0] * len(body.slots)
    for address, index in body.slots.items():
        if address in passed:
            alignments[index] = passed[address].align if passed[address].align > _LEAST_IN_MEMORY else 0
        elif address in body.allocated:
            alignments[index] = body.allocated[address].align
    return tuple(alignments)


def _refuse_unclaimed(body: _StubBody, arguments: Sequence[Argument], kernel: str) -> None:
    """Raise InternalError if a slot belongs to no parameter: then a parameter was assigned to the wrong slot.

    A parameter of an empty class is passed nowhere, and nothing is written to its slot.
    """
    slots = set(body.slots.values())
    lost = [slot for slot in slots - {argument.parameter for argument in arguments} if body.is_written(slot)]
    # an array has at least one element
    if lost or slots != set(range(body.size if slots else 0)):
        raise InternalError(f"cannot tell which parameter of kernel {kernel} argument {min(lost, default=0)} is")


def read_kernels(module: Module) -> tuple[KernelStub, ...]:
    """Return the kernels that a host module registers, in the order of registration.

    Raises InternalError when a stub does not look as clang 16 to 22 write it.
    """
    kernels: list[KernelStub] = []
    for item in module.calls_of("__cudaRegisterFunction"):
        _, stub_argument, name_argument, *_rest = item.arguments
        stub, text = bare(last_word(stub_argument)), last_word(name_argument)
        if stub not in module.functions or text not in module.strings:
            raise InternalError(f"kernel stub {stub} is registered but not defined")
        kernels.append(_kernel(module, stub, module.strings[text]))
    return tuple(kernels)


def with_whole_stubs(module: Module) -> Module:
    """Return a host module whose stubs are not inlined: each launch would get a copy, which LLVM would optimise again.

    A source with thousands of kernels has two or three launches of each. A call costs a launch next to nothing.
    """
    stubs = {bare(last_word(call.arguments[1])) for call in module.calls_of("__cudaRegisterFunction")}
    return module.add_to_functions(stubs - module.functions_with("alwaysinline"), "noinline")


def _kernel(module: Module, stub: str, name: str) -> KernelStub:
    function = module.functions[stub]
    parameters = [Parameter(parameter) for parameter in function.parameters]
    body = _StubBody.read(list(instructions_of(function.blocks)))
    arguments: list[Argument] = []
    for parameter in parameters:
        argument = _argument(body, parameter)
        if argument is None:
            raise InternalError(f"cannot tell where '{parameter.text}' of kernel {name} comes from")
        arguments.append(argument)
    _refuse_unclaimed(body, arguments, name)
    types = _parameter_types(body, parameters, lambda position: _type_at_launches(module, stub, position))
    return KernelStub(name, tuple(arguments), types, _parameter_alignments(body, parameters))


def embed(module: Module, blob: bytes) -> Module:
    """Replace the placeholder by the blob, and CUDA's names by MUSA's."""
    literal = f"[{len(blob)} x i8] {string(blob)}"
    return musa_names(
        module.change_variable(
            placeholder(module), lambda variable: variable.replace(value=literal, attributes=variable.attributes)
        )
    )


def embed_file(module: Module, blob: Path) -> Module:
    """Do the same as embed(), with the blob in a file for the assembler: as text it would be most of the module."""
    name = placeholder(module)
    path = str(blob).replace("\\", r"\5C\5C").replace('"', r"\5C\22")
    assembly = (
        *(".section .mt_fatbin, \\22a\\22, @progbits", ".p2align 6", f"{_IMAGE}:", f".incbin \\22{path}\\22"),
        *(f".size {_IMAGE}, . - {_IMAGE}", ".previous"),
    )
    # the placeholder keeps its number, by which LLVM knows it, and is left out as it has no use
    return musa_names(
        module.change_variable(
            name, lambda variable: variable.replace(value="[1 x i8] zeroinitializer", attributes=[])
        ).change_variable(
            "__cuda_fatbin_wrapper",
            lambda wrapper: Variable(replace_names(wrapper.text, {module.variables[name].name: global_name(_IMAGE)})),
        )
    ).add(
        f"@{_IMAGE} = external hidden constant [{blob.stat().st_size} x i8]\n",
        *(f'module asm "{line}"\n' for line in assembly),
    )


def placeholder(module: Module) -> str:
    """Return the bare name of the image that the host pass embedded."""
    texts = (PLACEHOLDER, f"{PLACEHOLDER}\\00")
    placeholders = [name for name, variable in module.variables.items() if variable.string in texts]
    if len(placeholders) != 1:
        raise InternalError(f"the host module has {len(placeholders)} placeholders of the device image, wanted 1")
    return placeholders[0]


def musa_names(module: Module) -> Module:
    """Replace clang's calls of CUDA's runtime by calls of libmusart's functions, which have MUSA's names."""
    # one declaration is enough if the source calls musaLaunchKernel itself
    declared = {name for name in ("LaunchKernel", "LaunchKernel_ptsz") if f"musa{name}" in module.declarations}
    module = module.without_declarations({f"cuda{name}" for name in declared})
    return module.replace_words(
        {
            "@__cuda": "@__musa",
            "@cudaLaunchKernel": "@musaLaunchKernel",
            'section ".nv_fatbin"': 'section ".mt_fatbin"',
            'section ".nvFatBinSegment"': 'section ".mtFatBinSegment"',
        }
    )
