"""Accesses to the context that libmusart keeps for each thread: threadIdx and the like, dynamic shared memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..contract.names import ACCESSORS, CONTEXT, CONTEXT_ADDRESS, CONTEXT_SIZE, DYNAMIC_SHARED_OFFSET
from ..errors import InternalError
from ..ir.function import Function
from ..ir.text import global_name, unescape

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

    It is an extern thread_local array, so every use goes through the wrapper _ZTW<name>, which gets a new body. All
    such arrays alias, as in CUDA.
    """
    for name, variable in module.variables.items():
        if not (variable.is_thread_local and not variable.is_defined and variable.type.startswith("[0 x ")):
            continue
        wrapper = f"_ZTW{name[2:]}" if name.startswith("_Z") else f"_ZTW{len(unescape(name))}{name}"
        if wrapper in module.functions:
            module = module.change_functions({wrapper: _field_getter(wrapper, DYNAMIC_SHARED_OFFSET, "ptr")})
        elif module.mentions(name):
            raise InternalError(f"extern __shared__ array {name} is used without its wrapper {wrapper}")
    return module


def define_accessors(module: Module) -> Module:
    """Write the bodies of threadIdx and the like, after optimisation. Until then they are opaque constants.

    What LLVM found out then of the memory that their callers read is not true any more.
    """
    callers = set().union(*(module.reaching(name) for name in ACCESSORS))
    used = sorted(name for name in module.declarations if name in ACCESSORS)
    # the optimiser drops the declaration of the context while nothing uses it yet
    module = declare_context(module.forget_memory(callers).without_declarations(ACCESSORS))
    return module.append(_field_getter(name, ACCESSORS[name], "i32") for name in used)


def _field_getter(function: str, offset: int, kind: str) -> Function:
    return Function(
        f"define internal {kind} {global_name(function)}() alwaysinline nounwind ",
        f"""{{
  %context = {CONTEXT_ADDRESS}
  %field = getelementptr i8, ptr %context, i64 {offset}
  %value = load {kind}, ptr %field, align 4
  ret {kind} %value
}}
""",
    )
