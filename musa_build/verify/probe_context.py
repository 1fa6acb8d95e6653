"""The context of a probe: the SDK, a scratch directory, and functions to compile and run programs there."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from ..environment.sdk import MusaSdk
from ..system import process
from ..system.host_compiler import host_cxx
from ..system.process import Completed
from .verdict import UndecidedError

PROGRAMS = Path(__file__).with_name("programs")
TIME_LIMIT = 124  # the exit status of a program that had to be stopped


@dataclass(frozen=True)
class ProbeContext:
    """The context of one probe. All its files are below `scratch`."""

    sdk: MusaSdk
    scratch: Path
    limit: float = 60.0  # seconds for one program

    @property
    def mcc(self) -> str:
        return str(self.sdk.mcc)

    @property
    def cxx(self) -> tuple[str, ...]:
        """The host's C++ compiler."""
        return host_cxx(os.environ)

    def write(self, name: str, text: str) -> Path:
        """Write a source into the scratch directory."""
        path = self.scratch / name
        path.write_text(text, encoding="utf-8")
        return path

    def run(self, command: Sequence[object], **variables: str) -> Completed:
        """Run a command in the scratch directory. The loader finds the SDK's libraries."""
        libraries = ":".join([*map(str, self.sdk.library_dirs), os.environ.get("LD_LIBRARY_PATH", "")]).rstrip(":")
        environment = {"LD_LIBRARY_PATH": libraries, **variables}
        words = [str(word) for word in command]
        return process.run_group(words, cwd=self.scratch, extra_environment=environment, timeout=self.limit)

    def compile(self, source: Path, *flags: str, **variables: str) -> Completed:
        """Run mcc on `source`, with the folder of the probes' own header on its include path."""
        libraries = [word for word in flags if word.startswith(("-l", "-L"))]  # linkers want them last
        others = [word for word in flags if word not in libraries]
        return _checked(self.run([self.mcc, f"-I{PROGRAMS}", *others, source, *libraries], **variables))

    def link(self, source: Path, *flags: str, libraries: Sequence[str] = ()) -> Completed:
        """Compile and link a program into `scratch/program`."""
        found = [f"-L{folder}" for folder in self.sdk.library_dirs]
        names = [f"-l{name}" for name in (*libraries, "musart")]
        paths = [f"-Wl,-rpath,{folder}" for folder in self.sdk.library_dirs]
        command = [self.mcc, "-std=c++17", "-O2", f"-I{PROGRAMS}", *flags, *self.arch_flags, source]
        return _checked(self.run([*command, "-o", self.scratch / "program", *found, *names, *paths]))

    @property
    def arch_flags(self) -> tuple[str, ...]:
        """The architecture of the first card. Without a card, mcc's own default."""
        name = os.environ.get("VERIFY_ARCH", "")
        return (f"--offload-arch={name}",) if name else ()

    def python(self, program: Path, *arguments: str) -> Completed:
        """Run a Python program of the probes with this Python."""
        return self.run([sys.executable, program, *arguments])

    def accepts(self, source: Path, *flags: str) -> tuple[bool, str]:
        """Return whether mcc compiles a file with some flags, and its first complaint."""
        done = self.compile(source, "-c", "-o", str(self.scratch / "accepted.o"), *flags)
        if done.returncode:
            self.must_compile()
        return done.returncode == 0, first_error(done)

    def must_compile(self) -> None:
        """Compile an empty kernel. If that fails, an error in another program proves nothing.

        Raises:
            UndecidedError: mcc does not compile it.
        """
        source = self.write("control.mu", '#include "probe.h"\n__global__ void kernel() {}\nint main() {}\n')
        done = self.compile(source, "-std=c++17", "-c", "-o", str(self.scratch / "control.o"))
        if done.returncode:
            raise UndecidedError(f"mcc compiles nothing here: {first_error(done)}")

    def macro(self, name: str, *flags: str) -> Optional[str]:
        """Return the value of a macro in device code; None if it is not defined there."""
        source = self.write(
            "macro.mu",
            f"#define TEXT_(x) #x\n#define TEXT(x) TEXT_(x)\n__global__ void kernel() {{}}\n"
            f'#if defined(__MUSA_ARCH__) && defined({name})\n#pragma message("value=" TEXT({name}))\n#endif\n',
        )
        done = self.compile(source, "-c", "-o", str(self.scratch / "macro.o"), *flags)
        if done.returncode:
            raise UndecidedError(f"mcc {' '.join(flags)} compiles not even an empty kernel: {first_error(done)}")
        found = re.search(r"value=(\w*)", done.stderr + done.stdout)
        return found[1] if found else None


def _checked(compiler: Completed) -> Completed:
    """Return the result of a compiler. Raise UndecidedError if it hung or crashed: that proves nothing."""
    if compiler.returncode == TIME_LIMIT or compiler.returncode < 0:
        raise UndecidedError(f"mcc: {exit_text(compiler)}")
    return compiler


def facts_of(done: Completed) -> dict[str, str]:
    """Return the lines `name=value` that a program printed.

    Raises:
        UndecidedError: The program cannot tell, or failed.
    """
    lines = [line for line in done.stdout.splitlines() if re.match(r"\w+=", line)]
    facts = dict(line.split("=", 1) for line in lines)
    if "undecided" in facts:
        raise UndecidedError(facts["undecided"])
    if done.returncode:
        raise UndecidedError(exit_text(done))
    return facts


def exit_text(done: Completed) -> str:
    """Describe how a failed program ended."""
    said = (done.stderr.strip() or done.stdout.strip()).splitlines()
    last = f": {said[-1][:300]}" if said else ""
    if done.returncode == TIME_LIMIT:
        return f"the program did not end{last}"
    if done.returncode < 0:
        return f"the program crashed ({signal.Signals(-done.returncode).name}){last}"
    return f"the program ended with status {done.returncode}{last}"


def first_error(done: Completed) -> str:
    """Return the first error of a compiler; empty if it succeeded."""
    if done.returncode == 0:
        return ""
    lines = [line.strip() for line in (done.stderr + done.stdout).splitlines() if line.strip()]
    errors = [line for line in lines if re.search(r"\berror\b|undefined reference|cannot find", line)]
    return (errors or lines or [f"exit status {done.returncode}"])[0][:300]
