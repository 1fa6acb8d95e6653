"""Going on without sources that do not compile, or are not wanted: stubs that raise take their functions' place.

A stub can stand for a function alone. What is not known to be one is refused: code in the place of data would be read
as wrong numbers.
"""

from __future__ import annotations

import ctypes
import difflib
import fnmatch
import json
import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from ..builder.plan import BuildPlan, CompileStep, DeviceLinkStep, LinkStep
from ..environment.settings import ONLY
from ..errors import CompileFailedError, ForceMusaError, SettingError
from ..system import files, process
from ..toolchain.languages import Language
from .report import NOT_CHOSEN, LeftOut

# Without these a library cannot be imported, or lacks operators without a word.
_INDISPENSABLE = re.compile(r"\b(PYBIND11_MODULE|PyInit_\w+|TORCH_LIBRARY\w*|STABLE_TORCH_LIBRARY\w*)\b")
_UNDEFINED = re.compile(r"undefined (?:reference to [`'\"]|symbol: )([\w.$@]+)")
_STUB = "left_out.cpp"
# Vtables, typeinfo and their names, VTTs, wrappers of thread_local variables; guards and temporaries of static ones.
_SPECIAL = ("_ZT", "_ZG")
_QUALIFIERS = re.compile(r"(?: const| volatile| &&?)+\Z")
# A relocation that only calls and jumps have.
_CALL = re.compile(r" R_(?:X86_64_PLT32|AARCH64_CALL26|AARCH64_JUMP26) +[0-9a-f]+ ([\w.$]+)")
_ERROR = re.compile(r"(?:fatal )?error: (.+)")

_Link = TypeVar("_Link", LinkStep, DeviceLinkStep)

_HEAD = """\
// Generated: stands for sources that are not in this build for MUSA. Calling one of these raises.
#include <stdexcept>

#define WHY " is not available: its source was left out of this build for MUSA (" SOURCES ")"
"""


def not_chosen(plans: Sequence[BuildPlan], patterns: Sequence[str]) -> dict[str, str]:
    """The objects, with why they are not wanted, of sources whose name no pattern matches; of those that the library
    cannot do without, none.

    Raises SettingError for a pattern that matches nothing.
    """
    steps = [step for plan in plans for step in plan.compiles if Path(step.source).name != _STUB]
    names = {Path(step.source).name for step in steps}
    for pattern in patterns:
        if not fnmatch.filter(names, pattern):
            near = difflib.get_close_matches(pattern, names, n=3) or sorted(names)[:3]
            raise SettingError(
                f"{ONLY.variables[0]} names a source that there is none of",
                found=pattern,
                wanted="patterns of names such as " + ", ".join(near),
            )
    unwanted = (step for step in steps if not any(fnmatch.fnmatch(Path(step.source).name, each) for each in patterns))
    return {step.output: NOT_CHOSEN for step in unwanted if not _is_indispensable(step.source)}


def objects_without(plan: BuildPlan, gone: Container[str]) -> BuildPlan:
    """`plan` without the objects `gone`, and without its libraries: what must be there to know what they lack."""
    compiles = tuple(step for step in plan.compiles if step.output not in gone)
    return replace(plan, compiles=compiles, links=(), device_links=())


def with_stubs(
    plan: BuildPlan, reasons: Mapping[str, str], cxx: Sequence[str], directory: Path
) -> tuple[BuildPlan, list[LeftOut]]:
    """`plan` without the objects in `reasons` (object -> why), and what was left out. All others were compiled.

    Raises ForceMusaError where an extension cannot do without them.
    """
    gone = [step for step in plan.compiles if step.output in reasons]
    if not gone:
        return plan, []
    needed = [step.source for step in gone if _is_indispensable(step.source)]
    if needed or len(gone) == len(plan.compiles):
        raise _cannot_do_without(needed or [step.source for step in gone])
    kept = [step for step in plan.compiles if step not in gone]
    outputs = {step.output for step in gone}
    links = [_without_inputs(link, outputs) for link in plan.links]
    symbols = sorted({symbol for link in links for symbol in _undefined(link)})
    _require_functions(symbols, [step.output for step in kept], [step.source for step in gone])
    stub = _stub_step(cxx, plan.links[0].extension, _why(gone, reasons), symbols, directory)
    told = [LeftOut(step.extension, step.source, reasons[step.output], tuple(symbols)) for step in gone]
    linked = [_with_input(link, stub.output) for link in links]
    device_links = tuple(_without_inputs(link, outputs) for link in plan.device_links)
    return replace(plan, compiles=(*kept, stub), links=tuple(linked), device_links=device_links), told


def reasons_of(error: CompileFailedError) -> dict[str, str]:
    """The objects that were not made, with the compilers' first errors. Raises `error` where a link failed."""
    if not error.failed or any(output.endswith(".so") for output, _ in error.failed):
        raise error
    return {output: _reason(text) for output, text in error.failed}


def is_function(symbol: str, readable: str, called: Container[str]) -> bool:
    """Return whether `symbol`, in C++ `readable`, is known to be a function; `called` are those that code calls.

    The names of C functions, of variables and of types' data do not tell what they are.
    """
    if symbol in called:
        return True
    mangled = symbol.startswith("_Z") and not symbol.startswith(_SPECIAL)
    return mangled and _QUALIFIERS.sub("", readable).endswith(")")


def _require_functions(symbols: Sequence[str], objects: Sequence[str], sources: Sequence[str]) -> None:
    """Raise ForceMusaError if one of `symbols`, which `objects` use and `sources` should define, may be no function."""
    readable, called = _demangled(symbols), _called(objects) if symbols else set()
    others = [readable[symbol] for symbol in symbols if not is_function(symbol, readable[symbol], called)]
    if others:
        raise ForceMusaError(
            f"the other sources use data that {', '.join(sources[:3])} should define",
            found=", ".join(others[:5]),
            wanted="functions alone: a stub that raises can stand for a function, not for a variable or a class",
            hint="a C function counts as one where it is called, not where only its address is taken",
        )


def _called(objects: Sequence[str]) -> set[str]:
    """Return the symbols that the code in `objects` calls; none where there is no readelf."""
    program = process.find_program("readelf")
    return set() if program is None else set(_CALL.findall(process.run([str(program), "-rW", *objects]).stdout))


def _cannot_do_without(sources: Sequence[str]) -> ForceMusaError:
    return ForceMusaError(
        "a source that the library cannot do without is not to be built, or did not compile",
        found=", ".join(sources[:3]),
        wanted="one that only defines functions",
        hint="what initialises the module, registers operators or defines classes for others has to be there",
    )


def _is_indispensable(source: str) -> bool:
    text = Path(source).read_text(encoding="utf-8", errors="replace")
    return _INDISPENSABLE.search(text) is not None


def _undefined(link: LinkStep) -> set[str]:
    """What the remaining objects need and neither a library of the link nor the interpreter has."""
    at = link.command.index("-o") + 1
    trial = [*link.command[:at], "/dev/null", *link.command[at + 1 :]]
    trial += ["-Wl,--no-undefined", "-Wl,--no-demangle", "-Wl,--warn-unresolved-symbols"]
    done = process.run(trial, extra_environment={"LC_ALL": "C"})
    found = set(_UNDEFINED.findall(done.stdout + done.stderr))
    return {symbol for symbol in found if not (re.match(r"_?Py", symbol) and hasattr(ctypes.pythonapi, symbol))}


def _why(gone: Sequence[CompileStep], reasons: Mapping[str, str]) -> str:
    """For the error that users of the library see: which sources failed, and how many were not chosen."""
    failed = [Path(step.source).name for step in gone if reasons[step.output] != NOT_CHOSEN]
    others = len(gone) - len(failed)
    parts = [f"did not compile: {', '.join(failed)}"] if failed else []
    parts += [f"{others} source{'s' if others > 1 else ''} {NOT_CHOSEN}"] if others else []
    return "; ".join(parts)


def _stub_step(cxx: Sequence[str], extension: str, why: str, symbols: Sequence[str], directory: Path) -> CompileStep:
    source = directory / extension / _STUB
    lines = [f"#define SOURCES {_quoted(why)}", _HEAD]
    readable = _demangled(symbols)
    for number, symbol in enumerate(symbols):
        name = _quoted(readable[symbol].partition("(")[0])
        lines.append(f'extern "C" void left_out_{number}() __asm__("{symbol}");')
        lines.append(f'extern "C" void left_out_{number}() {{ throw std::runtime_error({name} WHY); }}')
    files.write_if_changed(source, "\n".join(lines) + "\n")
    output = f"{source}.o"
    command = (*cxx, "-O1", "-fPIC", "-MMD", "-MF", f"{output}.d", "-c", str(source), "-o", output)
    return CompileStep(extension, Language.CXX, str(source), output, command)


def _quoted(text: str) -> str:
    """`text` as a string literal of C++."""
    return json.dumps(text, ensure_ascii=False)


def _demangled(symbols: Sequence[str]) -> Mapping[str, str]:
    """The names as C++ writes them; as they are where there is no c++filt."""
    program = process.find_program("c++filt")
    if program is None or not symbols:
        return {symbol: symbol for symbol in symbols}
    lines = process.run([str(program), *symbols]).stdout.splitlines()
    return dict(zip(symbols, lines))


def _without_inputs(link: _Link, gone: Container[str]) -> _Link:
    return replace(
        link,
        inputs=tuple(path for path in link.inputs if path not in gone),
        command=tuple(word for word in link.command if word not in gone),
    )


def _with_input(link: LinkStep, output: str) -> LinkStep:
    first = next(place for place, word in enumerate(link.command) if word.endswith(".o"))
    command = (*link.command[:first], output, *link.command[first:])
    return replace(link, inputs=(output, *link.inputs), command=command)


def _reason(text: str) -> str:
    found = _ERROR.search(text)
    return found[1].strip() if found else "the compiler failed without naming an error"
