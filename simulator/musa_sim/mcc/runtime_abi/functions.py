"""The functions that device code and libmusart share: one table.

Three things are made from it: the header that declares them (musa_sim/runtime_header.py), their declarations in IR, and
what the passes know about them. Only this table says whether a function may suspend the calling thread; its name does
not. mcc marks such a function with an attribute (`SUSPENDS`), which it keeps wherever code is inlined.

None of them throws. Their arguments may be undefined, because the front end drops `noundef` (docs/decisions/0020).
Unless a function is constant, it may read and write all memory, so the compiler keeps no value of shared memory in a
register across a call.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from .names import ACCESSORS

#: The attribute of a function at which a thread may be suspended, as the IR has it.
SUSPENDS = '"musa-suspends"'

BARRIER = "__musa_sim_sync_threads"
YIELD = "__musa_sim_sync_yield"
EXIT = "__musa_sim_sync_exit"
CONVERGE = "__musa_sim_sync_converge"
#: At these a thread waits for lanes of its own warp alone: other warps need not come to run.
WARP_OPERATIONS = frozenset(
    f"__musa_sim_sync_{name}" for name in ("warp", "shuffle", "ballot", "vote", "match", "converge", "lanes")
)
ABORT = "__musa_sim_abort"
RUN_BLOCK = "__musa_sim_run_block"
CHECK_ACCESS = "__musa_sim_check_access"
CHECK_LOCAL = "__musa_sim_check_local"
CHECK_COPY = "__musa_sim_check_copy"
CHECK_OPERAND = "__musa_sim_check_operand"
CHECK_MALLOC = "__musa_sim_check_malloc"
CHECK_FREE = "__musa_sim_check_free"

_IR_TYPES = {
    "void": "void",
    "int": "i32",
    "unsigned": "i32",
    "std::uint32_t": "i32",
    "unsigned long long": "i64",
    "std::uint64_t": "i64",
    "std::size_t": "i64",
}


class RuntimeFunction(NamedTuple):
    """One function, its types as C++ has them."""

    name: str
    result: str
    parameters: tuple[str, ...] = ()  # with their names
    about: str = ""
    suspends: bool = False  # and is convergent: no call may be moved into a branch that fewer threads take
    depends_on_call_site: bool = False  # its result depends on which call it is: two calls must not become one
    is_constant: bool = False  # it depends on nothing and changes nothing
    returns: bool = True
    on_host: bool = False  # host code may name it as well
    for_headers: bool = True  # not only calls that mcc inserts

    @property
    def parameter_types(self) -> tuple[str, ...]:
        """The types of the parameters."""
        return tuple(re.sub(r"\s*\w+$", "", parameter) for parameter in self.parameters)

    @property
    def declaration(self) -> str:
        """The declaration in IR."""
        types = ", ".join(map(_ir_type, self.parameter_types))
        attributes = f" convergent nounwind {SUSPENDS}" if self.suspends else " nounwind"
        attributes += " nomerge" if self.depends_on_call_site else ""
        return f"declare {_ir_type(self.result)} @{self.name}({types}){attributes}"


def _ir_type(kind: str) -> str:
    return "ptr" if kind.endswith("*") else _IR_TYPES[kind]


_CHECKED = ("const void* address", "std::uint64_t size", "std::uint32_t flags", "const char* place")

FUNCTIONS = (
    *(RuntimeFunction(name, "unsigned", is_constant=True) for name in ACCESSORS),
    RuntimeFunction(BARRIER, "void", about="__syncthreads", suspends=True),
    RuntimeFunction(
        "__musa_sim_sync_threads_reduce",
        "int",
        ("int operation", "int predicate"),
        about="__syncthreads_count, _and, _or",
        suspends=True,
    ),
    RuntimeFunction("__musa_sim_sync_warp", "void", ("unsigned mask",), about="__syncwarp", suspends=True),
    RuntimeFunction(
        "__musa_sim_sync_shuffle",
        "unsigned long long",
        ("unsigned mask", "unsigned long long value", "int kind", "int argument", "int width"),
        about="the __shfl_*_sync functions",
        suspends=True,
    ),
    RuntimeFunction(
        "__musa_sim_sync_ballot",
        "unsigned",
        ("unsigned mask", "int predicate"),
        about="__ballot_sync",
        suspends=True,
    ),
    RuntimeFunction(
        "__musa_sim_sync_vote",
        "int",
        ("unsigned mask", "int operation", "int predicate"),
        about="__all_sync, __any_sync",
        suspends=True,
    ),
    RuntimeFunction(
        "__musa_sim_sync_match",
        "unsigned",
        ("unsigned mask", "unsigned long long value", "int all"),
        about="__match_any_sync, __match_all_sync",
        suspends=True,
    ),
    RuntimeFunction(CONVERGE, "unsigned", about="__activemask", suspends=True, depends_on_call_site=True),
    RuntimeFunction(
        "__musa_sim_sync_lanes",
        "unsigned long long",
        ("unsigned mask", "int operation", "unsigned long long value", "int source"),
        about="cooperative groups and cub",
        suspends=True,
    ),
    RuntimeFunction("__musa_sim_sync_grid", "void", about="grid_group::sync", suspends=True),
    RuntimeFunction(
        "__musa_sim_sync_named",
        "void",
        ("unsigned barrier", "unsigned threads", "int waits"),
        about="bar.sync and bar.arrive of PTX: a barrier by its number, for some of the block's threads",
        suspends=True,
    ),
    RuntimeFunction(EXIT, "void", about="__musa_exit: the thread ends", suspends=True, returns=False),
    RuntimeFunction(YIELD, "void", about="__nanosleep, and loops that wait", suspends=True),
    RuntimeFunction(
        "__musa_sim_texture_fetch",
        "void",
        ("unsigned long long texture", "int dimensions", "const float* at", "unsigned* texel"),
        about="tex1D, tex2D, tex3D",
    ),
    RuntimeFunction(
        "__musa_sim_texture_layer",
        "void",
        ("unsigned long long texture", "int dimensions", "int layer", "const float* at", "unsigned* texel"),
        about="tex1DLayered, tex2DLayered",
    ),
    RuntimeFunction(
        "__musa_sim_texture_cubemap",
        "void",
        ("unsigned long long texture", "int layer", "const float* at", "unsigned* texel"),
        about="texCubemap, texCubemapLayered",
    ),
    RuntimeFunction(
        "__musa_sim_texture_gather",
        "void",
        ("unsigned long long texture", "int component", "const float* at", "unsigned* texel"),
        about="tex2Dgather",
    ),
    RuntimeFunction(
        "__musa_sim_texture_level",
        "void",
        (
            *("unsigned long long texture", "int dimensions", "int layout", "int layer", "const float* at"),
            *("float level", "unsigned* texel"),
        ),
        about="tex2DLod and the others that read at a level",
    ),
    RuntimeFunction(
        "__musa_sim_texture_gradient",
        "void",
        (
            *("unsigned long long texture", "int dimensions", "int layout", "int layer", "const float* at"),
            *("const float* steps", "unsigned* texel"),
        ),
        about="tex2DGrad and the others that choose a level",
    ),
    RuntimeFunction(
        "__musa_sim_texture_element",
        "void",
        ("unsigned long long texture", "int index", "unsigned* texel"),
        about="tex1Dfetch",
    ),
    RuntimeFunction(
        "__musa_sim_surface_element",
        "void*",
        ("unsigned long long surface", "int dimensions", "const int* at", "int bytes", "int boundary"),
        about="surf1Dread, surf1Dwrite and the other accesses of surfaces",
    ),
    RuntimeFunction(
        "__musa_sim_address_space",
        "int",
        ("const void* address",),
        about="__isGlobal, __isShared, __isLocal",
    ),
    RuntimeFunction(
        "__musa_sim_lane_copy",
        "void",
        ("void* to", "const void* from", "unsigned long long bytes"),
        about="wmma: between variables of lanes, which the checks would not allow",
    ),
    RuntimeFunction(
        "__musa_sim_check_copy_started",
        "void",
        ("const void* to", "unsigned long long bytes"),
        about="checked builds, after an asynchronous copy, which the thread has to wait for",
    ),
    RuntimeFunction("__musa_sim_check_copies_committed", "void", about="the copies since the last call are a group"),
    RuntimeFunction(
        "__musa_sim_check_copies_awaited",
        "void",
        ("unsigned left",),
        about="the thread waited for all groups but so many",
    ),
    RuntimeFunction(
        "__musa_sim_check_released",
        "void",
        ("const void* object",),
        about="checked builds: threads that acquire the object later see what this thread did until now",
    ),
    RuntimeFunction("__musa_sim_check_acquired", "void", ("const void* object",), about="see the line above"),
    RuntimeFunction(
        CHECK_OPERAND,
        "void",
        ("const void* registers", "unsigned long long bytes", "int is_floating"),
        about="checked builds, before a matrix instruction reads an operand",
    ),
    RuntimeFunction("__musa_sim_is_cooperative", "int", about="grid_group::is_valid"),
    RuntimeFunction(
        "__musa_sim_assert_fail",
        "void",
        ("const char* expression", "const char* file", "unsigned line", "const char* function"),
        about="assert",
        returns=False,
    ),
    RuntimeFunction(
        "__musa_sim_throw",
        "void",
        ("const char* type", "const char* what"),
        about="exceptions of the C++ library; `what` may be null",
        returns=False,
        on_host=True,
    ),
    RuntimeFunction(ABORT, "void", about="abort", returns=False, for_headers=False),
    RuntimeFunction(RUN_BLOCK, "void", ("const void* kernel", "void* arguments"), for_headers=False),
    RuntimeFunction(CHECK_ACCESS, "void", _CHECKED, for_headers=False),
    RuntimeFunction(
        CHECK_LOCAL,
        "void",
        (*_CHECKED, "const void* variable", "std::uint64_t bytes", "const char* name"),
        for_headers=False,
    ),
    RuntimeFunction(
        CHECK_COPY,
        "void",
        (
            *("const void* target", "const void* source", "std::uint64_t size"),
            *("std::uint32_t flags", "const char* place"),
        ),
        for_headers=False,
    ),
    RuntimeFunction(CHECK_MALLOC, "void*", ("std::size_t size",), for_headers=False),
    RuntimeFunction(CHECK_FREE, "void", ("void* memory",), for_headers=False),
)


def runtime_functions() -> dict[str, RuntimeFunction]:
    """Return the table by the functions' names."""
    return {function.name: function for function in FUNCTIONS}


def declaration(name: str) -> str:
    """Return the declaration of a function in IR."""
    return runtime_functions()[name].declaration
