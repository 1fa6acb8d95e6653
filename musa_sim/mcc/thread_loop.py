"""The fast path: one function that runs all threads of a block, for kernels in which no thread waits for another.

A fiber per thread costs some 30 ns of bookkeeping per thread; a plain loop over threadIdx costs one add, and LLVM can
vectorise across threads. It is allowed only when the kernel reaches no suspending function and makes no indirect call
(which might reach one). When in doubt a kernel gets no loop, and nothing but speed is lost.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from . import bounds_check, call_graph
from .device_ir import ACCESSORS, CONTEXT, LOOP_PREFIX, SUSPENDING_PREFIX, Kernel, unpack_arguments
from .host_stubs import parameter_list

_BODY_PREFIX = "__musa_sim_body_"
_CHECK_PREFIX = "__musa_sim_check_"
_UNCHECKED_PREFIX = "__musa_sim_unchecked_"
#: what a kernel prints cannot be taken back: a block that printed is not run a second time
_PRINTS = re.compile(r"^  (?:%[\w.]+ = )?(?:\w+ )?call [^@\n]*@(?:v?f?printf|f?puts|f?putc|putchar|fwrite)\(", re.M)
#: thread_idx[3] (runtime/device_abi.h)
_KEPT, _PRINTED = 1, 2
#: the accessors of all indices, threadIdx first
AXES = tuple(name for name in ACCESSORS if name != "__musa_sim_warp_size")
LOCAL_AXES = AXES[:3]  # threadIdx: the loop's own variables


def _mentions(definition: str) -> frozenset[str]:
    """Suspending functions whose address is taken: they may be called from anywhere."""
    return frozenset(re.findall(rf"@({SUSPENDING_PREFIX}\w*)", definition))


def short(accessor: str) -> str:
    return accessor[len("__musa_sim_") :]


def with_index_parameters(kernel: Kernel, definition: str) -> tuple[str, str]:
    """(parameters, code) of a copy of the kernel whose indices are parameters: plain values to LLVM."""
    opening = definition.index(f"@{kernel.name}(") + len(kernel.name) + 1
    parameters, closing = parameter_list(definition, opening)
    code = definition[definition.index("{\n", closing) :]
    for accessor in AXES:
        call = re.compile(rf"(%[\w.]+) = (?:tail |notail )?call [^@\n]*@{accessor}\(\)[^\n]*")
        code = call.sub(rf"\1 = add i32 %musa.{short(accessor)}, 0", code)
    code = re.sub(r", !(?:dbg|prof|srcloc) ![0-9]+", "", code)
    code = _noting_output(_naming_the_thread(code))
    indices = ", ".join(f"i32 %musa.{short(name)}" for name in AXES)
    return f"{parameters}, {indices}" if parameters else indices, code


def _naming_the_thread(code: str) -> str:
    """The code with the thread's index in the context before a call that does not return (assert, __trap).

    What reports it finds the thread there; elsewhere in a loop over threads nobody keeps it.
    """
    values = {**{4 * at: f"%musa.{short(name)}" for at, name in enumerate(LOCAL_AXES)}, 12: str(_KEPT)}
    return _storing(values, re.compile(r"^  (?:tail |notail )?call void [^\n]*\n  unreachable$", re.M), "ends", code)


def _noting_output(code: str) -> str:
    """The code with a mark in the context before it prints."""
    return _storing({12: str(_PRINTED)}, _PRINTS, "prints", code)


def _storing(values: Mapping[int, str], before: re.Pattern[str], name: str, code: str) -> str:
    """The code with these 32-bit values (by offset) stored in the context before every match."""
    count = 0

    def stored(found: re.Match[str]) -> str:
        nonlocal count
        count += 1
        context = f"%musa.{name}.{count}"
        lines = [f"  {context} = call ptr @llvm.threadlocal.address.p0(ptr @{CONTEXT})"]
        for offset, value in values.items():
            lines += [
                f"  {context}.{offset} = getelementptr i8, ptr {context}, i64 {offset}",
                f"  store i32 {value}, ptr {context}.{offset}, align 4",
            ]
        return "\n".join([*lines, found.group(0)])

    return before.sub(stored, code)


def body(kernel: Kernel, definition: str) -> str:
    """A copy of the kernel that takes its indices as parameters, to be inlined into a loop over them."""
    parameters, code = with_index_parameters(kernel, definition)
    return f"define internal void @{_BODY_PREFIX}{kernel.name}({parameters}) alwaysinline nounwind {code}"


def loop(
    kernel: Kernel,
    name: str,
    *,
    callees_read_index: bool = False,
    skip_first: bool = False,
    bounds_checked: bool = False,
) -> str:
    """A function that runs the kernel's body for all threads of a block, or for all but thread (0, 0, 0).

    With `bounds_checked`, a row whose first and last thread pass the kernel's bounds check runs without it.
    """
    code, call = unpack_arguments(kernel)
    fixed = AXES[3:]
    loads = "".join(
        f"  %at.{short(name)} = getelementptr i8, ptr %context, i64 {ACCESSORS[name]}\n"
        f"  %{short(name)} = load i32, ptr %at.{short(name)}, align 4\n"
        for name in fixed
    )
    # functions that were not inlined still read threadIdx from the context
    kept = {**{ACCESSORS[name]: f"%{axis}" for name, axis in zip(LOCAL_AXES, "xyz")}, 12: str(_KEPT)}
    stores = "".join(
        f"  %to.{offset} = getelementptr i8, ptr %context, i64 {offset}\n"
        f"  store i32 {value}, ptr %to.{offset}, align 4\n"
        for offset, value in (kept.items() if callees_read_index else ())
    )
    indices = ", ".join(f"i32 %{axis}" for axis in "xyz") + "".join(f", i32 %{short(name)}" for name in fixed)
    comma = ", " if call else ""
    run = f"{stores}  call void @{_BODY_PREFIX}{kernel.name}({call}{comma}{indices})\n"
    latch = "loop.x"
    if skip_first:
        latch = "next"
        run = (
            "  %xy = or i32 %x, %y\n  %xyz = or i32 %xy, %z\n  %first = icmp eq i32 %xyz, 0\n"
            f"  br i1 %first, label %next, label %run\nrun:\n{run}  br label %next\nnext:\n"
        )
    row = "  br label %some\nsome:\n"
    if bounds_checked:
        ends = [indices.replace("%x", index, 1) for index in ("0", "%last")]
        row = f"""  %last = sub i32 %block_dim_x, 1
  %first.holds = call i1 @{_CHECK_PREFIX}{kernel.name}({call}{comma}{ends[0]})
  %last.holds = call i1 @{_CHECK_PREFIX}{kernel.name}({call}{comma}{ends[1]})
  %all.hold = and i1 %first.holds, %last.holds
  br i1 %all.hold, label %all, label %some
all:
  br label %all.x
all.x:
  %ax = phi i32 [ 0, %all ], [ %ax.next, %all.x ]
  call void @{_UNCHECKED_PREFIX}{kernel.name}({call}{comma}{indices.replace("%x", "%ax", 1)})
  %ax.next = add nuw nsw i32 %ax, 1
  %ax.more = icmp ult i32 %ax.next, %block_dim_x
  br i1 %ax.more, label %all.x, label %end.y
some:
"""
    return f"""define void @{name}(ptr %args) nounwind {{
entry:
{code}  %context = call ptr @llvm.threadlocal.address.p0(ptr @{CONTEXT})
{loads}  br label %loop.z
loop.z:
  %z = phi i32 [ 0, %entry ], [ %z.next, %end.z ]
  br label %loop.y
loop.y:
  %y = phi i32 [ 0, %loop.z ], [ %y.next, %end.y ]
{row}  br label %loop.x
loop.x:
  %x = phi i32 [ 0, %some ], [ %x.next, %{latch} ]
{run}  %x.next = add nuw nsw i32 %x, 1
  %x.more = icmp ult i32 %x.next, %block_dim_x
  br i1 %x.more, label %loop.x, label %end.y
end.y:
  %y.next = add nuw nsw i32 %y, 1
  %y.more = icmp ult i32 %y.next, %block_dim_y
  br i1 %y.more, label %loop.y, label %end.z
end.z:
  %z.next = add nuw nsw i32 %z, 1
  %z.more = icmp ult i32 %z.next, %block_dim_z
  br i1 %z.more, label %loop.z, label %done
done:
  ret void
}}
"""


def thread_loops(ir: str, kernels: Sequence[Kernel]) -> str:
    """IR to append to an optimised device module whose accessors are still opaque; empty when no kernel qualifies."""
    functions = call_graph.functions(ir)
    calls = {name: call_graph.calls(text) | _mentions(text) for name, text in functions.items()}
    added: list[str] = []
    for kernel in kernels:
        if kernel.name not in functions:
            continue
        reached = call_graph.reachable(kernel.name, calls)
        if call_graph.INDIRECT in reached or any(name.startswith(SUSPENDING_PREFIX) for name in reached):
            continue
        callees_read_index = any(calls.get(name, frozenset()) & set(LOCAL_AXES) for name in reached)
        definition = functions[kernel.name]
        parameters, code = with_index_parameters(kernel, definition)
        check = None if callees_read_index else bounds_check.find(code)
        if check:
            for prefix, kind, text in (
                (_CHECK_PREFIX, "i1", check.code),
                (_UNCHECKED_PREFIX, "void", check.without),
            ):
                head = f"define internal {kind} @{prefix}{kernel.name}({parameters}) alwaysinline nounwind "
                added.append(head + text)
        name = f"{LOOP_PREFIX}{kernel.name}"
        added += [
            body(kernel, definition),
            loop(kernel, name, callees_read_index=callees_read_index, bounds_checked=check is not None),
        ]
    return "".join(added)
