"""The indices (threadIdx and the like) as parameters of a function."""

from __future__ import annotations

from ..contract.names import BLOCK_INDICES, INDICES, THREAD_INDICES


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
