"""The variables of a checked image: their bounds and names for libmusart, and red zones between them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..ir.pieces import Variable, string_constant
from ..ir.text import global_name, unescape
from ..ir.types import byte_size, size_of
from ..runtime_abi.names import GLOBAL_VARIABLES, SHARED_VARIABLES_PREFIX

if TYPE_CHECKING:
    from ..ir.module import Module

_SIMPLE_VALUES = {"undef", "poison", "zeroinitializer"}


def with_red_zones(module: Module) -> Module:
    """Put a red zone after each variable of a module: an index past the end hits it instead of the next variable."""

    def widened(variable: Variable) -> Variable:
        if not variable.has_memory or variable.value not in _SIMPLE_VALUES:
            return variable
        value = f"{{ {variable.type}, [{_red_zone(variable.type)} x i8] }} zeroinitializer"
        return variable.replace(value=value, attributes=variable.attributes)

    return module.change(Variable, widened)


def _red_zone(kind: str) -> int:
    """Return the size of the red zone after a variable: that of the variable, from 64 to 2048 bytes."""
    return max(64, min(byte_size(kind) or 256, 2048))


def global_variables(module: Module) -> str:
    """Write the table of the module's variables in global memory: {address, size, name}, ended by a null address."""
    rows: list[str] = []
    strings: list[str] = []
    for name, variable in module.variables.items():
        reserved = variable.name.startswith(("@llvm.", "@__musa_sim_"))
        if variable.is_thread_local or reserved or not variable.has_memory:
            continue
        text = f"@__musa_sim_global_name_{len(rows)}"
        strings.append(string_constant(text, unescape(name)))
        rows.append(f"{{ ptr, i64, ptr }} {{ ptr {variable.name}, i64 {size_of(variable.type)}, ptr {text} }}")
    rows.append("{ ptr, i64, ptr } zeroinitializer")
    table = f"@{GLOBAL_VARIABLES} = constant [{len(rows)} x {{ ptr, i64, ptr }}] [{', '.join(rows)}]\n"
    return "".join(strings) + table


def shared_visitors(shared: Mapping[str, Mapping[str, str]]) -> str:
    """Write a function per kernel that calls visit(state, address, size, name) for its static shared variables.

    A table cannot hold the addresses: each operating system thread has its own copy of such a variable.
    """
    names: dict[str, str] = {}
    visitors: list[str] = []
    for kernel, kinds in shared.items():
        body: list[str] = []
        for at, (name, kind) in enumerate(kinds.items()):
            text = names.setdefault(name, f"@__musa_sim_shared_name_{len(names)}")
            body.append(f"  %at{at} = call ptr @llvm.threadlocal.address.p0(ptr {global_name(name)})\n")
            body.append(f"  call void %visit(ptr %state, ptr %at{at}, i64 {size_of(kind)}, ptr {text})\n")
        head = f"define void {global_name(SHARED_VARIABLES_PREFIX + kernel)}(ptr %visit, ptr %state) nounwind {{\n"
        visitors.append(f"{head}{''.join(body)}  ret void\n}}\n")
    return "".join(string_constant(text, unescape(name)) for name, text in names.items()) + "".join(visitors)
