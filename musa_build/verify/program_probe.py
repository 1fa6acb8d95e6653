"""Probes that consist of one program, which states its expected output in comments.

// expect NAME=VALUE       a line that the program prints (`#` instead of `//` in Python)
// expect-compile-error    the program must not compile
// flags -std=c++20        flags for mcc
// libraries mublas        libraries of the SDK
// headers mublas.h        headers that the probe needs
// refuted by hang         hang, crash, compile-error: other outcomes that refute the assumption
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from .probe_context import PROGRAMS, TIME_LIMIT, ProbeContext, exit_text, facts_of, first_error
from .verdict import UndecidedError, Verdict, compared, confirmed, refuted

_DIRECTIVE = re.compile(r"^(?://|#) (expect-compile-error|expect|flags|libraries|headers|refuted by)(?: (.*))?$", re.M)


@dataclass(frozen=True)
class ProgramProbe:
    """A program and the directives in its comments."""

    path: Path
    expected: dict[str, str]
    flags: tuple[str, ...]
    libraries: tuple[str, ...]
    headers: tuple[str, ...]
    refuted_by: tuple[str, ...]
    must_not_compile: bool

    @classmethod
    def read(cls, path: Path) -> ProgramProbe:
        """Read the comments of a program."""
        found = _DIRECTIVE.findall(path.read_text(encoding="utf-8"))

        def words(kind: str) -> tuple[str, ...]:
            return tuple(word for each, text in found if each == kind for word in text.replace(",", " ").split())

        return cls(
            path,
            dict(text.split("=", 1) for each, text in found if each == "expect"),
            words("flags"),
            words("libraries"),
            words("headers"),
            words("refuted by"),
            any(each == "expect-compile-error" for each, _ in found),
        )

    def __call__(self, context: ProbeContext) -> Verdict:
        """Compile the program unless it is Python, run it, and compare its output with the expected one."""
        absent = [name for name in self.headers if not (context.sdk.include_dir / name).is_file()]
        if absent:
            raise UndecidedError(f"this SDK has no {', '.join(absent)}")
        if self.path.suffix != ".py":
            built = context.link(self.path, *self.flags, libraries=self.libraries)
            if built.returncode:
                context.must_compile()
            if self.must_not_compile:
                return refuted("it compiles") if built.returncode == 0 else confirmed(first_error(built))
            if built.returncode:
                return self._otherwise("compile-error", f"it does not compile: {first_error(built)}")
        done = context.python(self.path) if self.path.suffix == ".py" else context.run([context.scratch / "program"])
        if done.returncode == TIME_LIMIT:
            return self._otherwise("hang", exit_text(done))
        if done.returncode < 0:
            return self._otherwise("crash", exit_text(done))
        return compared(self.expected, facts_of(done))

    def _otherwise(self, what: str, seen: str) -> Verdict:
        if what in self.refuted_by:
            return refuted(seen)
        raise UndecidedError(seen)


def program_probes() -> dict[str, ProgramProbe]:
    """Return {row: probe} for all programs that have the name of a row."""
    paths = sorted(path for path in PROGRAMS.iterdir() if path.suffix in (".mu", ".py") and "-" in path.stem)
    probes = {path.stem: ProgramProbe.read(path) for path in paths}
    return {name: probe for name, probe in probes.items() if probe.expected or probe.must_not_compile}
