"""How a thread of a kernel starts: its arguments, its indices (threadIdx and the like), the function for libmusart."""

from __future__ import annotations

from collections.abc import Mapping

from ..contract.names import ARGUMENT_SIZES_PREFIX, BLOCK_INDICES, ENTRY_PREFIX, INDICES, THREAD_INDICES
from ..ir.text import global_name
from ..kernel import Kernel, Passing


def short(accessor: str) -> str:
    """Return what the accessor of an index returns: `thread_idx_x`."""
    return accessor[len("__musa_sim_") :]


def index_value(accessor: str) -> str:
    """Return the parameter that stands for an index."""
    return f"%musa.{short(accessor)}"


#: Those that differ from thread to thread.
THREAD_INDEX_PARAMETERS = tuple(map(index_value, THREAD_INDICES))
#: Types and names of these parameters, in order.
INDEX_PARAMETERS = tuple(f"i32 {index_value(accessor)}" for accessor in INDICES)


def block_indices() -> str:
    """Write the code that reads the indices that are the same for all threads from `%context`."""
    return "".join(
        f"  %at.{short(name)} = getelementptr i8, ptr %context, i64 {INDICES[name]}\n"
        f"  %{short(name)} = load i32, ptr %at.{short(name)}, align 4\n"
        for name in BLOCK_INDICES
    )


def unpack_arguments(kernel: Kernel) -> tuple[str, str]:
    """Return the code that loads a kernel's values from `%args`, and the arguments of a call with them."""
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
    """Write the function that runs one thread of a kernel: arguments as musaLaunchKernel gets them."""
    code, call = unpack_arguments(kernel)
    return (
        f"define void {global_name(ENTRY_PREFIX + kernel.name)}(ptr %args) nounwind {{\nentry:\n{code}"
        f"  call void {global_name(kernel.name)}({call})\n  ret void\n}}\n"
    )


def argument_sizes(kernel: Kernel, sizes: Mapping[str, int]) -> str:
    """Write a table of the kernel's parameters, so that a launch can copy them: their number, then the bytes of each.

    -1 stands for a class that is passed by its address and of an unknown size.
    """
    numbers = [len(kernel.stub.parameter_types), *(sizes.get(kind, -1) for kind in kernel.stub.parameter_types)]
    elements = ", ".join(f"i64 {number}" for number in numbers)
    name = global_name(ARGUMENT_SIZES_PREFIX + kernel.name)
    return f"{name} = constant [{len(numbers)} x i64] [{elements}]\n"
