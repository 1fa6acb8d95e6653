"""Link stubs for sources that are not in a build: functions that raise, so that a library can be linked and imported.

A stub can replace a function alone. A symbol that may be something else is refused: other code would
read the stub's code as data, and get wrong numbers.
"""

from __future__ import annotations

import ctypes
import json
import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from ..builder.plan import BuildPlan, CompileStep, DeviceLinkStep, LinkStep
from ..errors import ForceMusaError, counted
from ..system import files, process
from ..toolchain.compilers import Language
from .report import NOT_CHOSEN, ExcludedSource

STUB_FILE = "excluded_sources.cpp"

# Without these a library cannot be imported, or lacks operators without an error.
_REQUIRED = re.compile(r"\b(PYBIND11_MODULE|PyInit_\w+|TORCH_LIBRARY\w*|STABLE_TORCH_LIBRARY\w*)\b")
_UNDEFINED = re.compile(r"undefined (?:reference to [`'\"]|symbol: )([\w.$@]+)")
# Vtables, typeinfo and their names, VTTs, wrappers of thread_local variables; guards and temporaries of static ones.
_SPECIAL = ("_ZT", "_ZG")
_QUALIFIERS = re.compile(r"(?: const| volatile| &&?)+\Z")
# A relocation that only calls and jumps have.
_CALL = re.compile(r" R_(?:X86_64_PLT32|AARCH64_CALL26|AARCH64_JUMP26) +[0-9a-f]+ ([\w.$]+)")

_Link = TypeVar("_Link", LinkStep, DeviceLinkStep)

_HEAD = """\
// Generated: replaces the sources that are excluded from this build for MUSA. Calling one of these functions raises.
#include <stdexcept>

#define WHY " is not available: its source is excluded from this build for MUSA (" SOURCES ")"
"""


def with_stubs(
    plan: BuildPlan, reasons: Mapping[str, str], cxx: Sequence[str], directory: Path
) -> tuple[BuildPlan, list[ExcludedSource]]:
    """Return `plan` with stubs for the objects in `reasons` (object -> reason), and the sources that they replace.

    All other objects have been compiled.

    Raises:
        ForceMusaError: An extension cannot be linked without one of the sources.
    """
    excluded = [step for step in plan.compiles if step.output in reasons]
    if not excluded:
        return plan, []
    required = [step.source for step in excluded if is_required(step.source)]
    if required or len(excluded) == len(plan.compiles):
        raise _required_sources(required or [step.source for step in excluded])
    kept = [step for step in plan.compiles if step not in excluded]
    outputs = {step.output for step in excluded}
    links = [_without_inputs(link, outputs) for link in plan.links]
    symbols = sorted({symbol for link in links for symbol in _undefined(link)})
    _check_functions(symbols, [step.output for step in kept], [step.source for step in excluded])
    stub = _stub_step(cxx, plan.links[0].extension, _why(excluded, reasons), symbols, directory)
    sources = [ExcludedSource(step.extension, step.source, reasons[step.output], tuple(symbols)) for step in excluded]
    linked = [_with_input(link, stub.output) for link in links]
    device_links = tuple(_without_inputs(link, outputs) for link in plan.device_links)
    return replace(plan, compiles=(*kept, stub), links=tuple(linked), device_links=device_links), sources


def is_required(source: str) -> bool:
    """Return whether a source initializes a module or registers operators, so that nothing can replace it."""
    text = Path(source).read_text(encoding="utf-8", errors="replace")
    return _REQUIRED.search(text) is not None


def is_function(symbol: str, readable: str, called: Container[str]) -> bool:
    """Return whether `symbol`, in C++ `readable`, is known to be a function; `called` are those that code calls.

    The names of C functions, of variables and of types' data do not show the kind of the symbol.
    """
    if symbol in called:
        return True
    mangled = symbol.startswith("_Z") and not symbol.startswith(_SPECIAL)
    return mangled and _QUALIFIERS.sub("", readable).endswith(")")


def _check_functions(symbols: Sequence[str], objects: Sequence[str], sources: Sequence[str]) -> None:
    """Raise ForceMusaError if one of `symbols`, which `objects` use and `sources` should define, may be no function."""
    readable, called = _demangled(symbols), _called(objects) if symbols else set()
    others = [readable[symbol] for symbol in symbols if not is_function(symbol, readable[symbol], called)]
    if others:
        raise ForceMusaError(
            f"the other sources use data that {', '.join(sources[:3])} should define",
            found=", ".join(others[:5]),
            wanted="functions alone: a stub that raises can replace a function, not a variable or a class",
            hint="a C function counts as one if it is called, not if only its address is taken",
        )


def _called(objects: Sequence[str]) -> set[str]:
    """Return the symbols that the code in `objects` calls; none if there is no readelf."""
    program = process.find_program("readelf")
    return set() if program is None else set(_CALL.findall(process.run([str(program), "-rW", *objects]).stdout))


def _required_sources(sources: Sequence[str]) -> ForceMusaError:
    return ForceMusaError(
        "a required source failed to compile or was excluded; the module cannot be linked without it",
        found=", ".join(sources[:3]),
        wanted="one that only defines functions",
        hint="a source that initializes the module, registers operators or defines classes for others is required",
    )


def _undefined(link: LinkStep) -> set[str]:
    """Return the symbols that the remaining objects need and neither a library of the link nor the interpreter has."""
    at = link.command.index("-o") + 1
    trial = [*link.command[:at], "/dev/null", *link.command[at + 1 :]]
    trial += ["-Wl,--no-undefined", "-Wl,--no-demangle", "-Wl,--warn-unresolved-symbols"]
    done = process.run(trial, extra_environment={"LC_ALL": "C"})
    found = set(_UNDEFINED.findall(done.stdout + done.stderr))
    return {symbol for symbol in found if not (re.match(r"_?Py", symbol) and hasattr(ctypes.pythonapi, symbol))}


def _why(excluded: Sequence[CompileStep], reasons: Mapping[str, str]) -> str:
    """Return the reason that users of the library see: which sources failed, and how many were not selected."""
    failed = [Path(step.source).name for step in excluded if reasons[step.output] != NOT_CHOSEN]
    others = len(excluded) - len(failed)
    parts = [f"did not compile: {', '.join(failed)}"] if failed else []
    parts += [f"{counted(others, 'source')} {NOT_CHOSEN}"] if others else []
    return "; ".join(parts)


def _stub_step(cxx: Sequence[str], extension: str, why: str, symbols: Sequence[str], directory: Path) -> CompileStep:
    source = directory / extension / STUB_FILE
    lines = [f"#define SOURCES {_quoted(why)}", _HEAD]
    readable = _demangled(symbols)
    for number, symbol in enumerate(symbols):
        name = _quoted(readable[symbol].partition("(")[0])
        lines.append(f'extern "C" void musa_build_stub_{number}() __asm__("{symbol}");')
        lines.append(f'extern "C" void musa_build_stub_{number}() {{ throw std::runtime_error({name} WHY); }}')
    files.write_if_changed(source, "\n".join(lines) + "\n")
    output = f"{source}.o"
    command = (*cxx, "-O1", "-fPIC", "-MMD", "-MF", f"{output}.d", "-c", str(source), "-o", output)
    return CompileStep(extension, Language.CXX, str(source), output, command)


def _quoted(text: str) -> str:
    """Return `text` as a string literal of C++."""
    return json.dumps(text, ensure_ascii=False)


def _demangled(symbols: Sequence[str]) -> Mapping[str, str]:
    """Return the names as C++ writes them (symbol -> name); unchanged if there is no c++filt."""
    program = process.find_program("c++filt")
    if program is None or not symbols:
        return {symbol: symbol for symbol in symbols}
    lines = process.run([str(program), *symbols]).stdout.splitlines()
    return dict(zip(symbols, lines))


def _without_inputs(link: _Link, excluded: Container[str]) -> _Link:
    return replace(
        link,
        inputs=tuple(path for path in link.inputs if path not in excluded),
        command=tuple(argument for argument in link.command if argument not in excluded),
    )


def _with_input(link: LinkStep, output: str) -> LinkStep:
    first = next(at for at, argument in enumerate(link.command) if argument.endswith(".o"))
    command = (*link.command[:first], output, *link.command[first:])
    return replace(link, inputs=(output, *link.inputs), command=command)
