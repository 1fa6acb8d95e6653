"""The command of clang's front end (cc1), taken from clang's own driver.

`clang -###` turns the user's flags into cc1's. No table of clang's flags is kept here, and none goes stale.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from typing import NamedTuple

from ..errors import CompileFailed, InternalError
from . import cpu
from .toolchain import TARGET, Toolchain

# Newer ones spell more of a template's parameters in its name (`Tn`) than g++ does: neither would find the other's.
_LAST_CLANG_WITH_THE_NAMES_OF_GXX = 17
_WORD = re.compile(r'"((?:[^"\\]|\\.)*)"')


#: Where LLVM's assembler says that an error is, if it sees no source: in the text of an asm statement.
INLINE_ASSEMBLY = "<inline asm>:"
#: clang's error for a launch by device code -> mcc's: -fgpu-rdc would not help
_DEVICE_LAUNCH = (
    "kernel launch from __device__ or __global__ function requires relocatable device code (i.e. requires -fgpu-rdc)",
    "the simulator has no kernel launches from device code (dynamic parallelism)",
)
# From here on, `T<0>::template f(p)` is an error by default, and so is a constant that `const float&` narrows.
_FIRST_WITH_NEW_ERRORS = 19
_ACCEPTING = (
    "-Wno-missing-template-arg-list-after-template-kw",
    "-Wno-c++11-narrowing-const-reference",
    "-Wno-deprecated-builtins",  # __has_trivial_copy and the like: a warning
)


class Cc1(NamedTuple):
    """A cc1 command line of plain C++, input and output left out."""

    program: tuple[str, ...]
    args: tuple[str, ...]
    device_cpu: str = ""  # that device code is compiled for, if it is another than that in args

    @property
    def cpu_number(self) -> int:
        """The CPU that device code is for, as a fat binary names it."""
        return cpu.number(self.device_cpu, self.args)

    def command(self, args: Sequence[str], language: str, source: str, output: str) -> list[str]:
        """Return the whole command."""
        return [*self.program, *args, "-o", output, "-x", language, source]

    def without(self, flags: dict[str, int]) -> list[str]:
        """Return the arguments less the named flags; the number says how many words each takes."""
        kept: list[str] = []
        skip = 0
        for arg in self.args:
            if skip:
                skip -= 1
            elif arg in flags:
                skip = flags[arg] - 1
            else:
                kept.append(arg)
        return kept


def driver_command(toolchain: Toolchain) -> list[str]:
    """Return clang's driver as a C++ compiler for this machine's own C++ library."""
    return [*toolchain.clang, "--driver-mode=g++", f"--target={TARGET}", "-resource-dir", toolchain.resource_dir]


def program(toolchain: Toolchain) -> tuple[str, ...]:
    """Return the words that start the front end: zig needs its sub-command first; a plain clang is its own cc1."""
    return (*toolchain.clang, "-cc1")


def _names_of_gxx(toolchain: Toolchain) -> list[str]:
    newer = toolchain.clang_major > _LAST_CLANG_WITH_THE_NAMES_OF_GXX
    return [f"-fclang-abi-compat={_LAST_CLANG_WITH_THE_NAMES_OF_GXX}"] if newer else []


def _accepting_flags(toolchain: Toolchain) -> list[str]:
    """Return the flags that turn newer clangs' errors and warnings off; a user's own -W comes later and wins."""
    return list(_ACCEPTING) if toolchain.clang_major >= _FIRST_WITH_NEW_ERRORS else []


def ask_driver(toolchain: Toolchain, args: Sequence[str], action: str, source: str, output: str) -> tuple[Cc1, str]:
    """Let clang's driver read the user's flags: (the cc1 command, its warnings).

    `action` is the driver's flag for the stage wanted (-c, -E, -fsyntax-only).

    Raises CompileFailed with clang's message for unknown flags.
    """
    command = [
        *driver_command(toolchain),
        "-###",
        *_names_of_gxx(toolchain),
        *_accepting_flags(toolchain),
        *args,
        action,
        "-o",
        output,
        "-x",
        "c++",
        source,
    ]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = run.stderr.splitlines(keepends=True)
    cc1_lines = [line for line in lines if line.lstrip().startswith('"') and '"-cc1"' in line]
    said = rename_program("".join(line for line in lines if line not in cc1_lines))
    if run.returncode:
        raise CompileFailed(said)
    if len(cc1_lines) != 1:
        raise InternalError(f"clang's driver printed {len(cc1_lines)} cc1 commands for one input:\n{run.stderr}")
    words = [re.sub(r"\\(.)", r"\1", word) for word in _WORD.findall(cc1_lines[0])]
    at = words.index("-cc1")
    strip = {"-o": 2, "-x": 2, "-emit-obj": 1, "-discard-value-names": 1, "-disable-free": 1}
    cc1 = Cc1(program(toolchain), tuple(words[at + 1 :]))
    if cc1.args[-1] != source:
        raise InternalError(f"clang's driver did not end its command with the input: {words}")
    kept = tuple(cc1._replace(args=cc1.args[:-1]).without(strip))
    return Cc1(cc1.program, kept, cpu.for_device(toolchain.device_cpu, args)), said


def rename_program(diagnostics: str) -> str:
    """Make `clang: error:` and `zig: error:` `mcc: error:`; drop the driver's banner lines."""
    banner = re.compile(r"^((?:\w+ )?clang version|Target:|Thread model:|InstalledDir:| \(in-process\)).*\n?", re.M)
    return re.sub(
        r"^(?:zig|clang[\w+.-]*): (?=error|warning|note|fatal)", "mcc: ", banner.sub("", diagnostics), flags=re.M
    )


def name_arch(diagnostics: str, target: str) -> str:
    """Name the MUSA architecture in clang's last line, which says for which CPU it compiled."""
    footer = re.compile(
        r"^((?:\d+ warnings?)?(?: and )?(?:\d+ errors?)? generated) when compiling for [\w.+-]+\.$", re.M
    )
    named = footer.sub(rf"\1 when compiling for {target}.", rename_program(diagnostics))
    return named.replace(*_DEVICE_LAUNCH)
