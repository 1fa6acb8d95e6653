"""Going on without sources that do not compile, or are not wanted: stubs that raise take their functions' place."""

from __future__ import annotations

import difflib
import fnmatch
import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from .. import files, process
from ..errors import CompileFailedError, ForceMusaError, SettingError
from ..languages import Language
from ..plan import BuildPlan, CompileStep, LinkStep
from ..settings import ONLY
from .report import NOT_CHOSEN, LeftOut

# Without these a library cannot be imported, or lacks operators without a word.
_INDISPENSABLE = re.compile(r"\b(PYBIND11_MODULE|PyInit_\w+|TORCH_LIBRARY\w*|STABLE_TORCH_LIBRARY\w*)\b")
_UNDEFINED = re.compile(r"undefined (?:reference to [`'\"]|symbol: )([\w.$@]+)")
_STUB = "left_out.cpp"
_DATA = ("_ZTV", "_ZTI", "_ZTS", "_ZTT", "_ZGV")
_ERROR = re.compile(r"(?:fatal )?error: (.+)")

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
    return replace(plan, compiles=tuple(step for step in plan.compiles if step.output not in gone), links=())


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
    links = [_without_inputs(link, {step.output for step in gone}) for link in plan.links]
    symbols = sorted({symbol for link in links for symbol in _undefined(link)})
    if any(symbol.startswith(_DATA) for symbol in symbols):
        raise _cannot_do_without([step.source for step in gone])
    stub = _stub_step(cxx, plan.links[0].extension, _why(gone, reasons), symbols, directory)
    told = [LeftOut(step.extension, step.source, reasons[step.output], tuple(symbols)) for step in gone]
    linked = [_with_input(link, stub.output) for link in links]
    return replace(plan, compiles=(*kept, stub), links=tuple(linked)), told


def reasons_of(error: CompileFailedError) -> dict[str, str]:
    """The objects that were not made, with the compilers' first errors. Raises `error` where a link failed."""
    if not error.failed or any(output.endswith(".so") for output, _ in error.failed):
        raise error
    return {output: _reason(text) for output, text in error.failed}


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
    """What the remaining objects need and no library of the link has; Python's own names come from the interpreter."""
    at = link.command.index("-o") + 1
    trial = [*link.command[:at], "/dev/null", *link.command[at + 1 :]]
    trial += ["-Wl,--no-undefined", "-Wl,--no-demangle", "-Wl,--warn-unresolved-symbols"]
    done = process.run(trial, extra_environment={"LC_ALL": "C"})
    found = set(_UNDEFINED.findall(done.stdout + done.stderr))
    return {symbol for symbol in found if not re.match(r"_?Py", symbol)}


def _why(gone: Sequence[CompileStep], reasons: Mapping[str, str]) -> str:
    """For the error that users of the library see: which sources failed, and how many were not chosen."""
    failed = [Path(step.source).name for step in gone if reasons[step.output] != NOT_CHOSEN]
    others = len(gone) - len(failed)
    parts = [f"did not compile: {', '.join(failed)}"] if failed else []
    parts += [f"{others} source{'s' if others > 1 else ''} {NOT_CHOSEN}"] if others else []
    return "; ".join(parts)


def _stub_step(cxx: Sequence[str], extension: str, why: str, symbols: Sequence[str], directory: Path) -> CompileStep:
    source = directory / extension / _STUB
    lines = [f'#define SOURCES "{why}"', _HEAD]
    readable = _demangled(symbols)
    for number, symbol in enumerate(symbols):
        lines.append(f'extern "C" void left_out_{number}() __asm__("{symbol}");')
        lines.append(f'extern "C" void left_out_{number}() {{ throw std::runtime_error("{readable[symbol]}" WHY); }}')
    files.write_if_changed(source, "\n".join(lines) + "\n")
    output = f"{source}.o"
    command = (*cxx, "-O1", "-fPIC", "-MMD", "-MF", f"{output}.d", "-c", str(source), "-o", output)
    return CompileStep(extension, Language.CXX, str(source), output, command)


def _demangled(symbols: Sequence[str]) -> Mapping[str, str]:
    """The names as C++ writes them, without arguments; as they are where there is no c++filt."""
    program = process.find_program("c++filt")
    if program is None or not symbols:
        return {symbol: symbol for symbol in symbols}
    lines = process.run([str(program), *symbols]).stdout.splitlines()
    return {symbol: line.partition("(")[0] for symbol, line in zip(symbols, lines)}


def _without_inputs(link: LinkStep, gone: set[str]) -> LinkStep:
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
