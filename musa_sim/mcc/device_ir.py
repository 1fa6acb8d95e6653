"""Surgery on the device module's IR: from clang's device pass to a module that libmusart can run.

The text is edited, not parsed into a tree: the edits are few, each is anchored to a construct that clang prints in one
way, and the result goes through clang's verifier afterwards. Offsets and names are those of runtime/device_abi.h.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from . import conversions, launch_bounds
from .errors import InternalError
from .host_stubs import KernelStub, Passing, leading_type, parameter_list, split_top_level

#: names of runtime/device_abi.h
CONTEXT = "__musa_sim_context"
CONTEXT_SIZE = 96
DYNAMIC_SHARED_OFFSET = 64
WARP_SIZE_OFFSET = 72
LOCATION_OFFSET = 80
ABORT = "__musa_sim_abort"
SUSPENDING_PREFIX = "__musa_sim_sync"
ENTRY_PREFIX = "__musa_sim_entry_"
LOOP_PREFIX = "__musa_sim_loop_"
ARGUMENT_SIZES_PREFIX = "__musa_sim_argument_sizes_"

_INDEX_OFFSETS = {"thread_idx": 0, "block_idx": 16, "block_dim": 32, "grid_dim": 48}
#: accessor function -> offset of its 32-bit field in the context
ACCESSORS = {
    **{
        f"__musa_sim_{name}_{axis}": offset + 4 * at
        for name, offset in _INDEX_OFFSETS.items()
        for at, axis in enumerate("xyz")
    },
    "__musa_sim_warp_size": WARP_SIZE_OFFSET,
}

_DEFINITION = re.compile(r'^define [^\n@]*@([\w.$]+|"[^"]+")\(', re.M)
_TLS_INTRINSIC = "declare nonnull ptr @llvm.threadlocal.address.p0(ptr nonnull)\n"
_CONTEXT_GLOBAL = f"@{CONTEXT} = external thread_local(initialexec) global [{CONTEXT_SIZE} x i8], align 8\n"
_CONTEXT_ADDRESS = f"call ptr @llvm.threadlocal.address.p0(ptr @{CONTEXT})"


@dataclass(frozen=True)
class Kernel:
    """A kernel as both passes see it."""

    stub: KernelStub
    parameter_types: tuple[str, ...]  # IR types of the device function
    parameter_attributes: tuple[str, ...]  # those that decide the calling convention

    @property
    def name(self) -> str:
        return self.stub.name


def _type_and_attributes(parameter: str) -> tuple[str, str]:
    """Split `i32 noundef signext %a` into its type and the attributes that a call must repeat."""
    kind = leading_type(parameter)
    rest = parameter[len(kind) :]
    kept = re.findall(r"\b(signext|zeroext|inreg)\b", rest)
    byval = re.search(r"\bbyval\(", rest)
    if byval:
        pointee, _ = parameter_list(rest, byval.end() - 1)
        align = re.search(r"\balign (\d+)", rest)
        kept.append(f"byval({pointee})" + (f" align {align.group(1)}" if align else ""))
    return kind, " ".join(kept)


def find_kernels(device_ir: str, stubs: Sequence[KernelStub]) -> tuple[Kernel, ...]:
    """Match the host's stubs with the device functions of one module; kernels without device code are left out.

    Raises InternalError when the two passes disagree about a kernel's parameters.
    """
    # one pass over the text, not one per kernel: a file of templates has hundreds of both
    openings = {found.group(1).strip('"'): found.end() - 1 for found in _DEFINITION.finditer(device_ir)}
    kernels: list[Kernel] = []
    for stub in stubs:
        if stub.name not in openings:
            continue
        text, _ = parameter_list(device_ir, openings[stub.name])
        parameters = [_type_and_attributes(parameter) for parameter in split_top_level(text)]
        if len(parameters) != len(stub.arguments):
            raise InternalError(
                f"kernel {stub.name} has {len(stub.arguments)} values in its stub, {len(parameters)} on the device"
            )
        types = tuple(kind for kind, _ in parameters)
        kernels.append(Kernel(stub, types, tuple(attributes for _, attributes in parameters)))
    return tuple(kernels)


def give_each_thread_its_own(device_ir: str, stubs: Sequence[KernelStub]) -> str:
    """Classes that are not trivially copyable, passed by address, become parameters that every call copies.

    As bytes, which is how CUDA passes parameters. Left alone where the type is not known: no launch in the file, or no
    use on the device.
    """
    openings = {found.group(1).strip('"'): found.end() - 1 for found in _DEFINITION.finditer(device_ir)}
    changes: list[tuple[int, int, str]] = []
    for stub in stubs:
        if stub.name not in openings or all(argument.passing is not Passing.MEMORY for argument in stub.arguments):
            continue
        text, closing = parameter_list(device_ir, openings[stub.name])
        parameters = split_top_level(text)
        for at, argument in enumerate(stub.arguments):
            kind = stub.parameter_types[argument.index]
            known = kind and (not kind.startswith("%") or f"\n{kind} = type " in device_ir)
            if argument.passing is Passing.MEMORY and "byval(" not in parameters[at] and known:
                parameters[at] = f"ptr noundef byval({kind}) align 8 {parameters[at].split()[-1]}"
        changes.append((openings[stub.name] + 1, closing, ", ".join(parameters)))
    for start, end, parameters_text in sorted(changes, reverse=True):
        device_ir = device_ir[:start] + parameters_text + device_ir[end:]
    return device_ir


def prepare(device_ir: str) -> str:
    """Make a freshly compiled device module fit for the back end: constants writable, dynamic shared memory bound."""
    # clang >= 20 puts __constant__ variables into .rodata, where musaMemcpyToSymbol could not write.
    ir = re.sub(r"^(@[^\n]*\bexternally_initialized) constant ", r"\1 global ", device_ir, flags=re.M)
    ir = launch_bounds.without_annotations(ir)
    if re.search(r"^declare void @abort\(\)", ir, re.M):  # the C library's would end the process
        ir = re.sub(r"@abort\b(?![.$])", f"@{ABORT}", ir)
    ir = conversions.as_hardware(ir)
    ir = _bind_dynamic_shared(ir)
    return declare_context(ir)


def declare_context(ir: str) -> str:
    """Declare the runtime's context variable unless the module does already."""
    if f"@{CONTEXT} = " in ir:
        return ir
    at = ir.index("\n", ir.index("target triple")) + 1
    ir = ir[:at] + _CONTEXT_GLOBAL + ir[at:]
    return ir if re.search(r"^declare [^\n]*@llvm\.threadlocal\.address\.p0\(", ir, re.M) else ir + _TLS_INTRINSIC


def _bind_dynamic_shared(ir: str) -> str:
    """`extern __shared__ T a[]` is an extern thread_local array, so every use goes through the wrapper _ZTW<name>.

    One new body for that wrapper makes the array live in the launch's dynamic shared memory; all such arrays alias, as
    in CUDA.
    """
    extern_array = re.compile(
        r"^@([\w.$]+) = external (?:[\w()]+ )*thread_local(?:\(\w+\))? (?:\w+ )*global \[0 x", re.M
    )
    for name in extern_array.findall(ir):
        wrapper = f"_ZTW{name[2:]}" if name.startswith("_Z") else f"_ZTW{len(name)}{name}"
        body = re.compile(rf"^define [^\n]*@{re.escape(wrapper)}\(\)[^\n]*\{{\n.*?^\}}\n", re.M | re.S)
        if body.search(ir):
            ir = body.sub(_field_getter(wrapper, DYNAMIC_SHARED_OFFSET, "ptr"), ir)
        elif re.search(rf"@{re.escape(name)}\b(?! = )", ir):
            raise InternalError(f"extern __shared__ array {name} is used without its wrapper {wrapper}")
    return ir


def _field_getter(function: str, offset: int, kind: str) -> str:
    return (
        f"define internal {kind} @{function}() alwaysinline nounwind {{\n"
        f"  %context = {_CONTEXT_ADDRESS}\n"
        f"  %field = getelementptr i8, ptr %context, i64 {offset}\n"
        f"  %value = load {kind}, ptr %field, align 4\n"
        f"  ret {kind} %value\n}}\n"
    )


def define_accessors(ir: str) -> str:
    """Give threadIdx and its kin their bodies. Done after optimisation, until when they are opaque constants."""
    declared = re.compile(r"^declare [^\n]*@(" + "|".join(ACCESSORS) + r")\([^\n]*\n", re.M)
    used = sorted(set(declared.findall(ir)))
    getters = "".join(_field_getter(name, ACCESSORS[name], "i32") for name in used)
    # the optimiser drops the declaration while nothing uses it yet
    return declare_context(declared.sub("", ir)) + getters


def unpack_arguments(kernel: Kernel) -> tuple[str, str]:
    """(IR that loads a kernel's values from `%args`, the argument list of a call with them)."""
    code: list[str] = []
    call: list[str] = []
    for at, (argument, kind, attributes) in enumerate(
        zip(kernel.stub.arguments, kernel.parameter_types, kernel.parameter_attributes)
    ):
        code.append(f"  %slot{at} = getelementptr ptr, ptr %args, i64 {argument.index}")
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
    """The function that runs one thread of a kernel: arguments as musaLaunchKernel gets them."""
    code, call = unpack_arguments(kernel)
    return (
        f"define void @{ENTRY_PREFIX}{kernel.name}(ptr %args) nounwind {{\nentry:\n{code}"
        f"  call void @{kernel.name}({call})\n  ret void\n}}\n"
    )


def argument_sizes(kernel: Kernel, sizes: Mapping[str, int]) -> str:
    """A table of the kernel's parameters, so that a launch can copy them: their number, then the bytes of each.

    -1 stands for a class that is passed by its address and of an unknown size.
    """
    numbers = [len(kernel.stub.parameter_types), *(sizes.get(kind, -1) for kind in kernel.stub.parameter_types)]
    elements = ", ".join(f"i64 {number}" for number in numbers)
    return f"@{ARGUMENT_SIZES_PREFIX}{kernel.name} = constant [{len(numbers)} x i64] [{elements}]\n"


def device_variables(ir: str) -> tuple[str, ...]:
    """Names of the `__device__` and `__constant__` variables that the host can address."""
    return tuple(re.findall(r"^@([\w.$]+) = [^\n]*\bexternally_initialized\b", ir, re.M))


def version_script(variables: Sequence[str]) -> str:
    """Export kernels and variables only: an image's own copies of library templates must not meet the host's."""
    names = [
        f"{ENTRY_PREFIX}*",
        f"{LOOP_PREFIX}*",
        f"{ARGUMENT_SIZES_PREFIX}*",
        f"{launch_bounds.PREFIX}*",
        "__musa_sim_static_shared_*",
        "__musa_sim_shared_*",
        "__musa_sim_globals",
        *variables,
    ]
    return "{ global: " + " ".join(f"{name};" for name in names) + " local: *; };\n"
