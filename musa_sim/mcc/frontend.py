"""Command lines of clang's front end (cc1), taken from clang's own driver.

`clang -###` turns the user's flags into cc1's; this module turns that plain C++ command into the two passes of CUDA
mode and into the back-end runs on IR. No table of clang's flags is kept here, and none goes stale.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

from .command_line import ARCHITECTURES
from .errors import CompileFailed, DriverError, InternalError
from .toolchain import TARGET, Toolchain

#: What the host pass is told to embed; image.py puts the real fat binary in its place.
FATBIN_PLACEHOLDER = "MUSA_SIM_FATBIN_PLACEHOLDER"

#: clang wants to hear of some CUDA release; nothing of CUDA's headers or libraries is used.
_CUDA_MODE = ("-target-sdk-version=12.5", "-fcuda-allow-variadic-functions", "-fdeclspec")

#: headers of the C++ library that device code needs in another form
_WRAPPERS = "musa_sim/standard_library"
#: What the language lets an optimiser assume and device code does not keep (docs/decisions/0020): a shuffle is given
#: values that only some lanes have set, and a cast a number that does not fit. Variables of more than 1024 bytes stay
#: as they are, since to fill them would cost more than what a kernel does with them.
_FORGIVING = (
    "-no-enable-noundef-analysis",
    *("-ftrivial-auto-var-init=pattern", "-ftrivial-auto-var-init-max-size=1024"),
    "-fno-strict-float-cast-overflow",
)

_WORD = re.compile(r'"((?:[^"\\]|\\.)*)"')
_DEPENDENCY_FLAGS = {"-dependency-file": 2, "-MT": 2, "-MQ": 2, "-sys-header-deps": 1, "-MP": 1, "-MG": 1}


@dataclass(frozen=True)
class Cc1:
    """A cc1 command line of plain C++, input and output left out."""

    program: tuple[str, ...]
    args: tuple[str, ...]

    def command(self, args: Sequence[str], language: str, source: str, output: str) -> list[str]:
        return [*self.program, *args, "-o", output, "-x", language, source]

    def without(self, flags: dict[str, int]) -> list[str]:
        """The arguments less the named flags; the number says how many words each takes."""
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


def rename_program(diagnostics: str) -> str:
    """`clang: error:` and `zig: error:` become `mcc: error:`; the driver's banner lines go."""
    banner = re.compile(r"^((?:\w+ )?clang version|Target:|Thread model:|InstalledDir:| \(in-process\)).*\n?", re.M)
    return re.sub(
        r"^(?:zig|clang[\w+.-]*): (?=error|warning|note|fatal)", "mcc: ", banner.sub("", diagnostics), flags=re.M
    )


def driver_command(toolchain: Toolchain) -> list[str]:
    """clang's driver as a C++ compiler for this machine's own C++ library."""
    return [*toolchain.clang, "--driver-mode=g++", f"--target={TARGET}", "-resource-dir", toolchain.resource_dir]


def ask_driver(toolchain: Toolchain, args: Sequence[str], action: str, source: str, output: str) -> tuple[Cc1, str]:
    """Let clang's driver read the user's flags: (the cc1 command, its warnings).

    `action` is the driver's flag for the stage wanted (-c, -E, -fsyntax-only).

    Raises CompileFailed with clang's own words for flags it does not know.
    """
    command = [*driver_command(toolchain), "-###", *args, action, "-o", output, "-x", "c++", source]
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
    # the zig program needs its sub-command before -cc1; a plain clang is its own cc1
    program = (*toolchain.clang, "-cc1")
    strip = {"-o": 2, "-x": 2, "-emit-obj": 1, "-discard-value-names": 1, "-disable-free": 1}
    cc1 = Cc1(program, tuple(words[at + 1 :]))
    if cc1.args[-1] != source:
        raise InternalError(f"clang's driver did not end its command with the input: {words}")
    return Cc1(program, tuple(Cc1(program, cc1.args[:-1]).without(strip))), said


def _musa_args(args: list[str], sdk_include: str) -> list[str]:
    """CUDA mode plus the SDK's headers, which come before the C++ library's so that they may wrap it."""
    if "-internal-isystem" not in args:
        raise DriverError("clang found no C++ library headers: install them with 'apt-get install g++'")
    at = args.index("-internal-isystem")
    # the SDK's runtime header comes before every -include of the user's
    before = [arg for arg in args[:at] if not arg.startswith("-std=")]
    std = [arg for arg in args if arg.startswith("-std=")] or ["-std=c++17"]
    after = [arg for arg in args[at:] if not arg.startswith("-std=")]
    return [
        *(*_CUDA_MODE, "-aux-triple", TARGET, *std[-1:]),
        *("-D__MUSA__=1", "-D__MUSACC__=1", "-D__MUSACC_VER_MAJOR__=5", "-D__MUSACC_VER_MINOR__=1"),
        *("-include", "musa_runtime.h", *before, "-internal-isystem", f"{sdk_include}/{_WRAPPERS}"),
        *("-internal-isystem", sdk_include, *after),
    ]


def host_pass(cc1: Cc1, sdk_include: str, placeholder: str) -> list[str]:
    """Arguments of the host pass in CUDA mode, dependency output kept."""
    return [*_musa_args(list(cc1.args), sdk_include), "-fcuda-include-gpubinary", placeholder]


def device_pass(cc1: Cc1, sdk_include: str, arch: str, dependency_file: str) -> list[str]:
    """Arguments of one device pass; its dependencies go to a file of their own, to be merged with the host's."""
    wants_deps = "-dependency-file" in cc1.args
    args = _musa_args(cc1.without({"-dependency-file": 2}), sdk_include)
    deps = ["-dependency-file", dependency_file] if wants_deps else []
    # a user's own choice comes later and wins
    return [*_FORGIVING, *args, "-fcuda-is-device", f"-D__MUSA_ARCH__={ARCHITECTURES[arch].number}", *deps]


def with_optimisation(args: Sequence[str], level: str) -> list[str]:
    """The arguments at another -O level, vectorising exactly when clang's driver would."""
    kept = [arg for arg in args if not re.fullmatch(r"-O\w*|-vectorize-(?:loops|slp)", arg)]
    vectorise = ["-vectorize-loops", "-vectorize-slp"] if level in ("-O2", "-O3") else []
    return [level, *vectorise, *kept]


def backend_args(cc1: Cc1) -> list[str]:
    """Arguments for a run on IR: what concerns code generation, silent."""
    kept = cc1.without({**_DEPENDENCY_FLAGS, "-include": 2, "-I": 2, "-D": 2, "-U": 2, "-isystem": 2, "-iquote": 2})
    kept = [arg for arg in kept if not arg.startswith(("-std=", "-I", "-D", "-U", "-W"))]
    return [*kept, "-w"]


def library_directories(cc1: Cc1, sdk_include: str) -> list[str]:
    """Where headers lie that are not the user's: the SDK's, the system's, and those that -isystem names."""
    flags = {"-isystem", "-internal-isystem", "-internal-externc-isystem", "-idirafter"}
    return [sdk_include, "/usr", *(value for flag, value in zip(cc1.args, cc1.args[1:]) if flag in flags)]


def name_arch(diagnostics: str, target: str) -> str:
    """clang's last line says for which CPU it compiled; mcc says for which MUSA architecture."""
    footer = re.compile(
        r"^((?:\d+ warnings?)?(?: and )?(?:\d+ errors?)? generated) when compiling for [\w.+-]+\.$", re.M
    )
    return footer.sub(rf"\1 when compiling for {target}.", rename_program(diagnostics))
