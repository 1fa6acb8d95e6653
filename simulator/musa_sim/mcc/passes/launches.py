"""Make host and device modules agree: how launches pass arguments, and which variables both have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..errors import InternalError
from ..host import read_kernels, registered_variables, with_whole_stubs
from ..ir.pieces import Variable
from ..ir.text import bare, is_static_of_namespace
from ..ir.types import Parameter, plain_size, size_expression
from ..kernel import Kernel, KernelStub, Passing
from ..runtime_abi.names import MANAGED_SECTION

if TYPE_CHECKING:
    from ..ir.function import Function
    from ..ir.module import Module


class Modules(NamedTuple):
    """The modules of one source."""

    host: Module
    device: Mapping[str, Module]  # by architecture
    stubs: tuple[KernelStub, ...]
    sizes: Mapping[str, int]  # bytes of the types of parameters


def reconcile(
    host: Module, device: Mapping[str, Module], fold: Callable[[Module], Module], *, with_host: bool
) -> Modules:
    """Make the modules of a source fit each other.

    `fold` evaluates constant expressions in a module. `with_host` is False if only an image is wanted.
    """
    stubs = read_kernels(host)
    kinds = [kind for stub in stubs for kind in stub.parameter_types if kind]
    sizes = type_sizes(host, [*kinds, *(_after_a_byte(kind) for stub in stubs for kind in _unaligned(stub))], fold)
    stubs = tuple(_with_least_alignments(stub, sizes) for stub in stubs)
    registered = registered_variables(host)
    changed = {}
    for module in device.values():
        names = registered if with_host else registered | static_variables(module)
        changed[module] = export(copy_classes(module, stubs), names)
    if any(variable.section == MANAGED_SECTION for module in changed for variable in module.variables.values()):
        from . import managed  # few sources have such variables

        host, changed = managed.share(host, changed, with_host=with_host)
    return Modules(with_whole_stubs(host), {arch: changed[module] for arch, module in device.items()}, stubs, sizes)


def _unaligned(stub: KernelStub) -> list[str]:
    """Return the types of the parameters whose alignment the stub does not show."""
    return [kind for kind, align in zip(stub.parameter_types, stub.parameter_alignments) if kind and not align]


def _after_a_byte(kind: str) -> str:
    """Return a structure whose size is that of the type plus its alignment."""
    return f"{{ i8, {kind} }}"


def _with_least_alignments(stub: KernelStub, sizes: Mapping[str, int]) -> KernelStub:
    """Return the stub with a bound, a negative number, for each alignment that it does not show.

    The bound is the alignment of the type in LLVM. In C++ a class may be aligned to more than its members.
    """
    found = (
        align or -(sizes[_after_a_byte(kind)] - sizes[kind] if kind else 1)
        for kind, align in zip(stub.parameter_types, stub.parameter_alignments)
    )
    return stub._replace(parameter_alignments=tuple(found))


def find_kernels(module: Module, stubs: Sequence[KernelStub]) -> tuple[Kernel, ...]:
    """Match the host's stubs with the device functions of one module; leave out kernels without device code.

    Raises InternalError when the two passes disagree about a kernel's parameters.
    """
    kernels: list[Kernel] = []
    for stub in stubs:
        if stub.name not in module.functions:
            continue
        parameters = [Parameter(text) for text in module.functions[stub.name].parameters]
        if len(parameters) != len(stub.arguments):
            raise InternalError(
                f"kernel {stub.name} has {len(stub.arguments)} values in its stub, {len(parameters)} on the device"
            )
        types = tuple(parameter.type for parameter in parameters)
        kernels.append(Kernel(stub, types, tuple(parameter.convention for parameter in parameters)))
    return tuple(kernels)


def static_variables(module: Module) -> frozenset[str]:
    """Return the static variables of namespaces.

    A program that loads an image itself may look them up by name. It may set constants that way, which clang would
    otherwise assume to be zero.
    """
    return frozenset(
        bare(name)
        for name, variable in module.variables.items()
        if is_static_of_namespace(bare(name)) and variable.is_defined and not variable.is_thread_local
    )


def export(module: Module, registered: frozenset[str]) -> Module:
    """Make the variables visible that the host may look up: clang hides constants.

    It leaves it to LLVM to drop a template's variable that no device code uses.
    """
    hidden = ("internal", "private", "linkonce")

    def exported(variable: Variable) -> Variable:
        if bare(variable.name) not in registered or not variable.linkage.startswith(hidden):
            return variable
        is_shared = variable.linkage.startswith("linkonce")  # by all sources that have this template
        linkage = f"{'weak_odr ' if is_shared else ''}externally_initialized "
        return variable.replace(linkage=linkage, attributes=variable.attributes)

    return module.change(Variable, exported)


def copy_classes(module: Module, stubs: Sequence[KernelStub]) -> Module:
    """Have every call copy the classes that clang passes by address because they are not trivially copyable.

    The call copies bytes, as CUDA passes parameters. A parameter of an unknown type is not changed: then the file has
    no launch of the kernel, or the device does not use the class.
    """
    changed: dict[str, Function | None] = {}
    for stub in stubs:
        function = module.functions.get(stub.name)
        if function is None or all(argument.passing is not Passing.MEMORY for argument in stub.arguments):
            continue
        parameters = list(function.parameters)
        for at, argument in enumerate(stub.arguments):
            kind = stub.parameter_types[argument.parameter]
            by_address = argument.passing is Passing.MEMORY and not Parameter(parameters[at]).byval
            if by_address and kind and (kind[0] != "%" or kind in module.types):
                parameters[at] = f"ptr noundef byval({kind}) align 8 {Parameter(parameters[at]).value}"
        changed[stub.name] = function.with_parameters(parameters)
    return module.change_functions(changed)


def type_sizes(module: Module, types: Sequence[str], fold: Callable[[Module], Module]) -> dict[str, int]:
    """Return the size in bytes of each of these types of a module. Only LLVM knows the data layout.

    `fold` evaluates constant expressions in a module, which starts LLVM. It is called once, and not at all if the text
    shows the sizes of all types.
    """
    plain = {kind: size for kind in types if (size := plain_size(kind))}
    distinct = [kind for kind in dict.fromkeys(types) if kind not in plain]
    if not distinct:
        return plain
    queries = (f"@size.{at} = constant i64 {size_expression(kind)}\n" for at, kind in enumerate(distinct))
    answers = fold(module.only_types.add(*queries)).variables
    asked = {kind: int(answers[f"size.{at}"].value) for at, kind in enumerate(distinct) if f"size.{at}" in answers}
    return {**plain, **asked}
