"""Precompiled headers: compile torch/extension.h once for all sources that start with it.

This is for g++ and C++ sources only: clang rejects a precompiled header when it compiles for a device. g++ looks for
`torch/extension.h.gch` in a directory before it looks for `torch/extension.h` there. So a directory with the .gch comes
before the others. g++ uses the .gch only for a source's first include, and only if every macro and flag that the
headers depend on is the same. Otherwise it reads the `torch/extension.h` beside it, which includes the real one, and
which g++ wants to open when another header includes it again. So the meaning of a source cannot change. This module
chooses the sources for which it is faster.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Optional

from ..environment.settings import PCH
from ..system import process
from ..system.files import digest, write_if_changed
from ..toolchain.compilers import Language
from .machine import PROGRAMS, usable_cores
from .plan import BuildPlan, CompileStep, PrecompileStep

if TYPE_CHECKING:
    from .machine import Machine

# The headers of torch that take longest; torch/extension.h is all of torch/all.h and pybind11.
HEADERS = ("torch/extension.h", "torch/all.h", "torch/torch.h")
FOLDER = "precompiled"
_WRAPPER = "precompiled.h"
# As system headers: the pragmas in torch's headers that suppress g++'s warnings about them do not survive in a .gch.
# This is the preprocessor's own notation for that (a #pragma has no effect in the main file).
_TEXT = """# 1 "precompiled.h" 3
#include <{header}>
"""
_BESIDE = """#pragma GCC system_header
#include_next <{header}>
"""

# With g++ 12, making a .gch takes as long (wall time) as it saves on 2.9 sources (torch 2.13); the other cores are idle
# meanwhile.
SOURCES_PER_CORE = 3

# Each of these matches a text in one way only. Otherwise a long file without a match would take exponential time.
_BLANK = r"(?:\s|//[^\n]*(?:\n|\Z)|/\*(?:[^*]|\*(?!/))*\*/)*"
_OTHER_LINE = rf"#(?![ \t]*include)[^\n]*(?:\n|\Z){_BLANK}"
_FIRST_INCLUDE = re.compile(rf'{_BLANK}(?:{_OTHER_LINE})*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]')


def first_include(text: str) -> str:
    """Return the name in the first #include of a source, "" if anything but directives and comments precedes it."""
    match = _FIRST_INCLUDE.match(text)
    return match[1] if match else ""


def read_first_include(source: str) -> str:
    """Return `first_include` of a file. It reads 16 KiB, which is enough for a long licence before the include."""
    try:
        with Path(source).open(encoding="utf-8", errors="replace") as stream:
            return first_include(stream.read(16384))
    except OSError:
        return ""  # the compiler will report it


@dataclass(frozen=True)
class PrecompilePolicy:
    """When to precompile a header: if at least `min_sources` start with it.

    `compiler` is the version that the compiler prints: g++ rejects a .gch written by a different version.
    """

    min_sources: int
    compiler: str


NEVER = PrecompilePolicy(0, "")


def choose_policy(machine: Machine) -> PrecompilePolicy:
    """Decide whether C++ sources share precompiled headers.

    With a compiler launcher they do only on request: a cache and other machines do not have the precompiled header.

    Raises:
        SettingError: A setting has an invalid value.
        ToolNotFoundError: There is no C++ compiler.
    """
    automatic = machine.settings.value(PCH).text.lower() == "auto"
    launched = machine.launcher is not None or Path(machine.cxx[0]).name in PROGRAMS
    if not (automatic or machine.settings.flag(PCH)) or (automatic and launched):
        return NEVER
    version = process.run([*machine.cxx, "--version"]).stdout
    if "Free Software Foundation" not in version:  # clang calls itself g++ on some systems
        return NEVER
    return PrecompilePolicy(SOURCES_PER_CORE * usable_cores() if automatic else 1, version)


@dataclass(frozen=True)
class _Header:
    """A header, and the flags to compile it with."""

    name: str
    dialect: tuple[str, ...]

    def step(self, directory: str, compiler: str) -> PrecompileStep:
        """Return the step that precompiles the header."""
        folder = f"{directory}/{FOLDER}/{digest(compiler, self.name, *self.dialect)[:16]}"
        wrapper, output = f"{folder}/{_WRAPPER}", f"{folder}/{self.name}.gch"
        # The wrapper includes the header, so that the compiler finds it in the same directory as for the sources.
        files = ("-MD", "-MF", f"{output}.d", "-x", "c++-header", wrapper, "-o", output)
        return PrecompileStep(self.name, wrapper, output, (*self.dialect, *files))


def with_precompiled_headers(
    plan: BuildPlan,
    directory: str,
    policy: PrecompilePolicy,
    first_include: Callable[[str], str] = read_first_include,
) -> BuildPlan:
    """Add a step below `directory` for each header that enough sources with the same flags start with."""
    if policy is NEVER:
        return plan
    pairs = ((step, _header(step, first_include)) for step in plan.compiles)
    headers = {step: header for step, header in pairs if header}
    used = list(headers.values())
    steps = {
        header: header.step(directory, policy.compiler)
        for header in dict.fromkeys(used)
        if used.count(header) >= policy.min_sources
    }
    compiles = tuple(_using(step, headers, steps) for step in plan.compiles)
    return replace(plan, compiles=compiles, precompiles=tuple(steps.values()))


def prepare(plan: BuildPlan, directory: Path) -> None:
    """Write the headers that the steps of `plan` read, and remove unused .gch files, of 750 MB each."""
    kept = {Path(step.source).parent.name for step in plan.precompiles}
    for step in plan.precompiles:
        write_if_changed(Path(step.source), _TEXT.format(header=step.header))
        write_if_changed(Path(step.source).parent / step.header, _BESIDE.format(header=step.header))
    for wrapper in (directory / FOLDER).glob(f"*/{_WRAPPER}"):
        if wrapper.parent.name not in kept:
            for header in HEADERS:
                for suffix in ("", ".gch", ".gch.d"):
                    (wrapper.parent / f"{header}{suffix}").unlink(missing_ok=True)


def _header(step: CompileStep, first_include: Callable[[str], str]) -> Optional[_Header]:
    if step.language is not Language.CXX:
        return None
    name = first_include(step.source)
    return _Header(name, step.dialect) if name in HEADERS else None


def _using(
    step: CompileStep, headers: Mapping[CompileStep, _Header], steps: Mapping[_Header, PrecompileStep]
) -> CompileStep:
    precompile = steps.get(headers[step]) if step in headers else None
    if precompile is None:
        return step
    at = step.command.index("-MD")
    # -fpch-deps: the depfile lists the headers themselves, also if they come from the .gch.
    flags = (f"-I{PurePosixPath(precompile.source).parent}", "-fpch-deps")
    return replace(step, command=(*step.command[:at], *flags, *step.command[at:]), after=(precompile.output,))
