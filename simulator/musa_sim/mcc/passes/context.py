"""Write the code that reads a launch's values: arguments, threadIdx and the like, dynamic shared memory.

libmusart keeps a context for each thread, which has the indices and the address of dynamic shared memory. A function
that runs a whole block has the indices as parameters instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..errors import InternalError
from ..ir.text import global_name, unescape
from ..kernel import Kernel, Passing
from ..runtime_abi.names import (
    ACCESSORS,
    ARGUMENT_SIZES_PREFIX,
    BLOCK_INDICES,
    CONTEXT,
    CONTEXT_ADDRESS,
    CONTEXT_SIZE,
    DYNAMIC_SHARED_OFFSET,
    ENTRY_PREFIX,
    INDICES,
    THREAD_INDICES,
)

if TYPE_CHECKING:
    from ..ir.module import Module

_VARIABLE = f"@{CONTEXT} = external thread_local(initialexec) global [{CONTEXT_SIZE} x i8], align 8\n"


def declare_context(module: Module) -> Module:
    """Declare the runtime's context variable unless the module does already."""
    if CONTEXT in module.variables:
        return module
    return module.add_variable(_VARIABLE).declare("declare nonnull ptr @llvm.threadlocal.address.p0(ptr nonnull)")


def bind_dynamic_shared(module: Module) -> Module:
    """Make `extern __shared__ T a[]` the launch's dynamic shared memory.

    The headers make it an extern thread_local array. clang gets the address of such a variable by a call of the
    function _ZTW<name>. This pass gives that function another body. All such arrays have one address, as in CUDA.
    """
    for name, variable in module.variables.items():
        if not (variable.is_thread_local and not variable.is_defined and variable.type.startswith("[0 x ")):
            continue
        wrapper = f"_ZTW{name[2:]}" if name.startswith("_Z") else f"_ZTW{len(unescape(name))}{name}"
        if wrapper in module.functions:
            module = module.redefine(_field_getter(wrapper, DYNAMIC_SHARED_OFFSET, "ptr"))
        elif module.mentions(name):
            raise InternalError(f"extern __shared__ array {name} is used without its wrapper {wrapper}")
    return module


def define_accessors(module: Module) -> Module:
    """Write the bodies of the functions behind threadIdx and the like. Until the module is optimised, they have none.

    They are declared as functions that read no memory, and LLVM concluded the same of their callers. Their bodies read
    the context. So the memory attributes of their callers are dropped.
    """
    callers = set().union(*(module.reaching(name) for name in ACCESSORS))
    used = sorted(name for name in module.declarations if name in ACCESSORS)
    # the optimiser drops the declaration of the context while nothing uses it yet
    module = declare_context(module.forget_memory(callers).without_declarations(ACCESSORS))
    return module.add(*(_field_getter(name, ACCESSORS[name], "i32") for name in used))


def _field_getter(function: str, offset: int, kind: str) -> str:
    return (
        f"define internal {kind} {global_name(function)}() alwaysinline nounwind {{\n"
        f"  %context = {CONTEXT_ADDRESS}\n"
        f"  %field = getelementptr i8, ptr %context, i64 {offset}\n"
        f"  %value = load {kind}, ptr %field, align 4\n"
        f"  ret {kind} %value\n}}\n"
    )


def short(accessor: str) -> str:
    """Return the name of an index: `thread_idx_x`."""
    return accessor[len("__musa_sim_") :]


def index_value(accessor: str) -> str:
    """Return the parameter that holds an index: `%musa.thread_idx_x`."""
    return f"%musa.{short(accessor)}"


#: The indices that differ from thread to thread.
THREAD_INDEX_PARAMETERS = tuple(map(index_value, THREAD_INDICES))
#: Types and names of these parameters, in order.
INDEX_PARAMETERS = tuple(f"i32 {index_value(accessor)}" for accessor in INDICES)
#: The arguments for them in a loop over the threads of a block.
INDEX_ARGUMENTS = (*(f"i32 %{axis}" for axis in "xyz"), *(f"i32 %{short(name)}" for name in BLOCK_INDICES))


def block_indices() -> str:
    """Write the code that reads from `%context` the indices that all threads of a block share."""
    return "".join(
        f"  %at.{short(name)} = getelementptr i8, ptr %context, i64 {INDICES[name]}\n"
        f"  %{short(name)} = load i32, ptr %at.{short(name)}, align 4\n"
        for name in BLOCK_INDICES
    )


def unpack_arguments(kernel: Kernel) -> tuple[str, str]:
    """Return the code that loads a kernel's arguments from `%args`, and the argument list of a call with them."""
    code: list[str] = []
    call: list[str] = []
    for at, (argument, kind, attributes) in enumerate(
        zip(kernel.stub.arguments, kernel.parameter_types, kernel.parameter_attributes)
    ):
        code.append(f"  %slot{at} = getelementptr ptr, ptr %args, i64 {argument.parameter}")
        code.append(f"  %base{at} = load ptr, ptr %slot{at}, align 8")
        code.append(f"  %at{at} = getelementptr i8, ptr %base{at}, i64 {argument.offset}")
        value = f"%at{at}"
        if argument.passing is Passing.VALUE:
            code.append(f"  %value{at} = load {kind}, ptr %at{at}, align 1")
            value = f"%value{at}"
        elif argument.passing is Passing.BOOL:
            code.append(f"  %byte{at} = load i8, ptr %at{at}, align 1")
            code.append(f"  %value{at} = trunc i8 %byte{at} to i1")
            value = f"%value{at}"
        call.append(" ".join(word for word in (kind, attributes, value) if word))
    return "".join(line + "\n" for line in code), ", ".join(call)


def entry(kernel: Kernel) -> str:
    """Write the function that runs one thread of a kernel. It gets the arguments in the form of musaLaunchKernel."""
    code, call = unpack_arguments(kernel)
    return (
        f"define void {global_name(ENTRY_PREFIX + kernel.name)}(ptr %args) nounwind {{\nentry:\n{code}"
        f"  call void {global_name(kernel.name)}({call})\n  ret void\n}}\n"
    )


def argument_sizes(kernel: Kernel, sizes: Mapping[str, int]) -> str:
    """Write the table of a kernel's parameters, by which a launch copies the arguments.

    It has the number of parameters, then the bytes of each, then the alignment of each (kernel.py). The bytes are -1
    for a class that is passed by its address and whose size is unknown.
    """
    stub = kernel.stub
    sizes_of = [sizes.get(kind, -1) for kind in stub.parameter_types]
    numbers = [len(stub.parameter_types), *sizes_of, *stub.parameter_alignments]
    elements = ", ".join(f"i64 {number}" for number in numbers)
    name = global_name(ARGUMENT_SIZES_PREFIX + kernel.name)
    return f"{name} = constant [{len(numbers)} x i64] [{elements}]\n"
