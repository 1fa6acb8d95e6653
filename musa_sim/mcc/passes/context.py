"""Accesses to the context that libmusart keeps for each thread: threadIdx and the like, dynamic shared memory."""

from __future__ import annotations

from ..contract.names import ACCESSORS, CONTEXT, CONTEXT_ADDRESS, CONTEXT_SIZE, DYNAMIC_SHARED_OFFSET
from ..errors import InternalError
from ..ir.attributes import forget_memory
from ..ir.functions import call_edges, declarations, declare, functions, reachable, remove_declarations
from ..ir.text import global_name, unescape
from ..ir.variables import add_variable, has_variable, is_used, unsized_thread_local_arrays

_VARIABLE = f"@{CONTEXT} = external thread_local(initialexec) global [{CONTEXT_SIZE} x i8], align 8"


def declare_context(ir: str) -> str:
    """Declare the runtime's context variable unless the module does already."""
    if has_variable(ir, CONTEXT):
        return ir
    return declare(add_variable(ir, _VARIABLE), "declare nonnull ptr @llvm.threadlocal.address.p0(ptr nonnull)")


def bind_dynamic_shared(ir: str) -> str:
    """Make `extern __shared__ T a[]` the launch's dynamic shared memory.

    It is an extern thread_local array, so every use goes through the wrapper _ZTW<name>, which gets a new body. All
    such arrays alias, as in CUDA.
    """
    for name in unsized_thread_local_arrays(ir):
        wrapper = f"_ZTW{name[2:]}" if name.startswith("_Z") else f"_ZTW{len(unescape(name))}{name}"
        defined = functions(ir).get(wrapper)
        if defined:
            ir = ir.replace(defined.text, _field_getter(wrapper, DYNAMIC_SHARED_OFFSET, "ptr"), 1)
        elif is_used(ir, name):
            raise InternalError(f"extern __shared__ array {name} is used without its wrapper {wrapper}")
    return ir


def define_accessors(ir: str) -> str:
    """Write the bodies of threadIdx and the like, after optimisation. Until then they are opaque constants.

    What LLVM found out then of the memory that their callers read is not true any more.
    """
    callers: dict[str, list[str]] = {}
    for name, called in call_edges(ir).items():
        for callee in called:
            callers.setdefault(callee, []).append(name)
    ir = forget_memory(ir, set().union(*(reachable(name, callers) for name in ACCESSORS)))
    used = sorted(name for name in declarations(ir) if name in ACCESSORS)
    getters = "".join(_field_getter(name, ACCESSORS[name], "i32") for name in used)
    # the optimiser drops the declaration while nothing uses it yet
    return declare_context(remove_declarations(ir, ACCESSORS)) + getters


def _field_getter(function: str, offset: int, kind: str) -> str:
    return (
        f"define internal {kind} {global_name(function)}() alwaysinline nounwind {{\n"
        f"  %context = {CONTEXT_ADDRESS}\n"
        f"  %field = getelementptr i8, ptr %context, i64 {offset}\n"
        f"  %value = load {kind}, ptr %field, align 4\n"
        f"  ret {kind} %value\n}}\n"
    )
