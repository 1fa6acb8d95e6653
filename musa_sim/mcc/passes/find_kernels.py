"""Match the kernels of a device module with their host stubs."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import InternalError
from ..ir.functions import functions, replace_functions
from ..ir.parameters import Parameter
from ..ir.variables import knows_type
from ..kernel import Kernel, KernelStub, Passing


def find_kernels(device_ir: str, stubs: Sequence[KernelStub]) -> tuple[Kernel, ...]:
    """Match the host's stubs with the device functions of one module; leave out kernels without device code.

    Raises InternalError when the two passes disagree about a kernel's parameters.
    """
    defined = functions(device_ir)
    kernels: list[Kernel] = []
    for stub in stubs:
        if stub.name not in defined:
            continue
        parameters = [Parameter(text) for text in defined[stub.name].parameters]
        if len(parameters) != len(stub.arguments):
            raise InternalError(
                f"kernel {stub.name} has {len(stub.arguments)} values in its stub, {len(parameters)} on the device"
            )
        types = tuple(parameter.type for parameter in parameters)
        kernels.append(Kernel(stub, types, tuple(parameter.convention for parameter in parameters)))
    return tuple(kernels)


def copy_classes(device_ir: str, stubs: Sequence[KernelStub]) -> str:
    """Make classes that are passed by address, as they are not trivially copyable, parameters that every call copies.

    As bytes, which is how CUDA passes parameters. Left alone where the type is not known: no launch in the file, or no
    use on the device.
    """
    taking = [stub for stub in stubs if any(argument.passing is Passing.MEMORY for argument in stub.arguments)]
    if not taking:
        return device_ir
    defined = functions(device_ir)
    changed: dict[str, str] = {}
    for stub in taking:
        if stub.name not in defined:
            continue
        function = defined[stub.name]
        parameters = list(function.parameters)
        for at, argument in enumerate(stub.arguments):
            kind = stub.parameter_types[argument.parameter]
            by_address = argument.passing is Passing.MEMORY and not Parameter(parameters[at]).byval
            if by_address and kind and knows_type(device_ir, kind):
                parameters[at] = f"ptr noundef byval({kind}) align 8 {Parameter(parameters[at]).value}"
        changed[stub.name] = function.with_parameters(parameters)
    return replace_functions(device_ir, changed)
