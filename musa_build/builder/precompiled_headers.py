"""Precompiled headers: torch/extension.h read once for all sources that start with it, instead of once for each.

g++ alone, and only for its own sources: clang refuses one where it compiles for a device. g++ looks for
`torch/extension.h.gch` in a directory before it looks for `torch/extension.h` there. So a directory of ours, holding
nothing but the .gch, goes before the others, and g++ itself decides: it takes the .gch only as a source's first include
and only where every macro and flag that the headers depend on is as it was; else it reads the headers as always. What a
source means cannot change; choosing the sources, which is done here, only decides what is worth the time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Optional

from ..environment import job_limits
from ..environment.settings import PCH
from ..system import process
from ..system.files import digest, write_if_changed
from ..toolchain.languages import Language
from ..toolchain.launcher import PROGRAMS
from .plan import BuildPlan, CompileStep, PrecompileStep

if TYPE_CHECKING:
    from .machine import Machine

# The headers of torch that take longest; torch/extension.h is all of torch/all.h and pybind11.
HEADERS = ("torch/extension.h", "torch/all.h", "torch/torch.h")
FOLDER = "precompiled"
_WRAPPER = "precompiled.h"
# As headers of the system: what torch's headers say to keep g++ quiet about themselves does not outlive a .gch. This is
# the preprocessor's own notation for it (a #pragma means nothing in the first file).
_TEXT = """# 1 "precompiled.h" 3
#include <{header}>
"""

# In wall time: a .gch takes g++ 12 as long as 2.9 sources gain from it (torch 2.13), while the other cores have nothing
# to do.
SOURCES_PER_CORE = 3

# Each of these can match a text in one way only: others would take forever to find that a long file does not match.
_BLANK = r"(?:\s|//[^\n]*(?:\n|\Z)|/\*(?:[^*]|\*(?!/))*\*/)*"
_OTHER_LINE = rf"#(?![ \t]*include)[^\n]*(?:\n|\Z){_BLANK}"
_FIRST_INCLUDE = re.compile(rf'{_BLANK}(?:{_OTHER_LINE})*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]')


def first_include(text: str) -> str:
    """What the first #include of a source names, "" where something else than directives comes before it."""
    found = _FIRST_INCLUDE.match(text)
    return found[1] if found else ""


def read_first_include(source: str) -> str:
    """`first_include` of a file; licences at the top of a source are long, but not longer than 16 KiB."""
    try:
        with Path(source).open(encoding="utf-8", errors="replace") as stream:
            return first_include(stream.read(16384))
    except OSError:
        return ""  # the compiler will say it better


@dataclass(frozen=True)
class Precompiling:
    """How many sources it takes for a header to be precompiled, and the compiler's release, as it says it itself: g++
    does not take what an older one made."""

    least: int
    compiler: str


NEVER = Precompiling(0, "")


def choose_precompiling(machine: Machine) -> Precompiling:
    """Decide whether C++ sources share precompiled headers. Raises SettingError, ToolNotFoundError.

    With a launcher only on request: a cache does not know a header that it has never seen, and other machines do not
    have ours.
    """
    automatic = machine.settings.value(PCH).text.lower() == "auto"
    launched = machine.launcher is not None or Path(machine.cxx[0]).name in PROGRAMS
    if not machine.settings.flag(PCH) or (automatic and launched):
        return NEVER
    version = process.run([*machine.cxx, "--version"]).stdout
    if "Free Software Foundation" not in version:  # clang calls itself g++ on some systems
        return NEVER
    return Precompiling(SOURCES_PER_CORE * job_limits.usable_cores() if automatic else 1, version)


@dataclass(frozen=True)
class _Header:
    """One header as one set of flags sees it."""

    name: str
    dialect: tuple[str, ...]

    def step(self, directory: str, compiler: str) -> PrecompileStep:
        place = f"{directory}/{FOLDER}/{digest(compiler, self.name, *self.dialect)[:16]}"
        wrapper, output = f"{place}/{_WRAPPER}", f"{place}/{self.name}.gch"
        # Through a file that includes it, so that the compiler finds the header where it would for the sources.
        files = ("-MD", "-MF", f"{output}.d", "-x", "c++-header", wrapper, "-o", output)
        return PrecompileStep(self.name, wrapper, output, (*self.dialect, *files))


def with_precompiled_headers(
    plan: BuildPlan,
    directory: str,
    wanted: Precompiling,
    first_include: Callable[[str], str] = read_first_include,
) -> BuildPlan:
    """`plan` with a step for each header that enough sources of the same flags start with, below `directory`."""
    if wanted is NEVER:
        return plan
    found = ((step, _header(step, first_include)) for step in plan.compiles)
    headers = {step: header for step, header in found if header}
    used = list(headers.values())
    steps = {
        header: header.step(directory, wanted.compiler)
        for header in dict.fromkeys(used)
        if used.count(header) >= wanted.least
    }
    compiles = tuple(_using(step, headers, steps) for step in plan.compiles)
    return replace(plan, compiles=compiles, precompiles=tuple(steps.values()))


def prepare(plan: BuildPlan, directory: Path) -> None:
    """Writes what the steps of `plan` read, and removes what no step makes any more: a .gch takes 750 MB."""
    kept = {Path(step.source).parent.name for step in plan.precompiles}
    for step in plan.precompiles:
        write_if_changed(Path(step.source), _TEXT.format(header=step.header))
    for wrapper in (directory / FOLDER).glob(f"*/{_WRAPPER}"):
        if wrapper.parent.name not in kept:
            for header in HEADERS:
                for suffix in (".gch", ".gch.d"):
                    (wrapper.parent / f"{header}{suffix}").unlink(missing_ok=True)


def _header(step: CompileStep, first_include: Callable[[str], str]) -> Optional[_Header]:
    if step.language is not Language.CXX:
        return None
    name = first_include(step.source)
    return _Header(name, step.dialect) if name in HEADERS else None


def _using(
    step: CompileStep, headers: Mapping[CompileStep, _Header], steps: Mapping[_Header, PrecompileStep]
) -> CompileStep:
    made = steps.get(headers[step]) if step in headers else None
    if made is None:
        return step
    at = step.command.index("-MD")
    # -fpch-deps: the object depends on the headers themselves, whether they came from the .gch or not.
    flags = (f"-I{PurePosixPath(made.source).parent}", "-fpch-deps")
    return replace(step, command=(*step.command[:at], *flags, *step.command[at:]), after=(made.output,))
