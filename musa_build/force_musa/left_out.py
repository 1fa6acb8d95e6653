"""Going on without the sources that do not compile: stubs that raise take the place of what they define."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from .. import files, process
from ..build_session import BuildSession
from ..errors import CompileFailedError
from ..languages import Language
from ..plan import BuildPlan, CompileStep, LinkStep
from .report import LeftOut

# Without these a library cannot be imported, or lacks operators without a word.
_INDISPENSABLE = re.compile(r"\b(PYBIND11_MODULE|PyInit_\w+|TORCH_LIBRARY\w*|STABLE_TORCH_LIBRARY\w*)\b")
_UNDEFINED = re.compile(r"undefined (?:reference to [`'\"]|symbol: )([\w.$@]+)")
_DATA = ("_ZTV", "_ZTI", "_ZTS", "_ZTT", "_ZGV")
_ERROR = re.compile(r"(?:fatal )?error: (.+)")

_HEAD = """\
// Generated: stands for sources that could not be compiled for MUSA. Calling one of these raises.
#include <stdexcept>

#define WHY " is not available: its source was left out of this build for MUSA, for it did not compile (" SOURCES ")"
"""


def replace_failed(session: BuildSession, error: CompileFailedError, directory: Path) -> list[LeftOut]:
    """Changes the plans of `session` so that they no longer hold the compile steps which failed with `error`.

    Raises `error` itself where an extension cannot do without them.
    """
    said = dict(error.failed)
    told: list[LeftOut] = []

    def without(plan: BuildPlan) -> BuildPlan:
        failed = [step for step in plan.compiles if step.output in said]
        if not failed:
            return plan
        if len(failed) == len(plan.compiles) or any(_is_indispensable(step.source) for step in failed):
            raise error
        kept = [step for step in plan.compiles if step not in failed]
        links = [_without_inputs(link, {step.output for step in failed}) for link in plan.links]
        symbols = sorted({symbol for link in links for symbol in _undefined(link)})
        if any(symbol.startswith(_DATA) for symbol in symbols):
            raise error
        stub = _stub_step(session.cxx, failed, symbols, directory)
        told.extend(LeftOut(step.extension, step.source, _reason(said[step.output]), tuple(symbols)) for step in failed)
        linked = [_with_input(link, stub.output) for link in links]
        return replace(plan, compiles=(*kept, stub), links=tuple(linked))

    if not said or any(output.endswith(".so") for output in said):
        raise error
    session.change_plans(without)
    return told


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


def _stub_step(
    cxx: Sequence[str], failed: Sequence[CompileStep], symbols: Sequence[str], directory: Path
) -> CompileStep:
    extension = failed[0].extension
    source = directory / extension / "left_out.cpp"
    names = ", ".join(Path(step.source).name for step in failed)
    lines = [f'#define SOURCES "{names}"', _HEAD]
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
