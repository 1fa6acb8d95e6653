"""Every error a user can meet: one base class, one subclass per cause.

An error is a sentence with parts, not a string: *what* went wrong, what was *found*, what was *wanted*, and a *hint*
that says what to do next. `str(error)` joins the parts, so an error reads the same in a terminal, under pip and in a
log. `code` is stable: documentation and scripts may refer to it; the wording may improve.
"""

from __future__ import annotations

from typing import ClassVar


class MusaBuildError(Exception):
    """Base of every error that musa_build raises on purpose; none of them needs a traceback to be understood."""

    code: ClassVar[str] = "MB000"

    def __init__(self, what: str, *, found: str = "", wanted: str = "", hint: str = "") -> None:
        self.what = what
        self.found = found
        self.wanted = wanted
        self.hint = hint
        super().__init__(what, found, wanted, hint)

    def __str__(self) -> str:
        parts = [
            self.what,
            f"found: {self.found}" if self.found else "",
            f"wanted: {self.wanted}" if self.wanted else "",
            f"hint: {self.hint}" if self.hint else "",
        ]
        return "; ".join(part for part in parts if part) + f" [{self.code}]"


class SdkNotFoundError(MusaBuildError):
    """No MUSA SDK, or an SDK root without its compiler."""

    code = "MB101"


class ToolNotFoundError(MusaBuildError):
    """A program that the build needs (ninja, the C++ compiler) is not there."""

    code = "MB102"


class TorchNotFoundError(MusaBuildError):
    """PyTorch cannot be imported by the Python that runs the build."""

    code = "MB103"


class SdkMismatchError(MusaBuildError):
    """torch_musa was built with another SDK than the one that is used."""

    code = "MB104"


class SettingError(MusaBuildError):
    """A setting (keyword, environment variable, pyproject.toml) has a value that means nothing."""

    code = "MB201"


class ArchError(SettingError):
    """A name that is not a MUSA architecture."""

    code = "MB202"


class SourceError(MusaBuildError):
    """A source file that does not exist or cannot be used."""

    code = "MB203"


class UnwritableError(MusaBuildError):
    """A directory that the build must write into may not be written."""

    code = "MB204"


class UnreadableError(MusaBuildError):
    """A file or directory that the build must read may not be read."""

    code = "MB205"


class PortingError(MusaBuildError):
    """CUDA sources cannot be ported as asked: bad rule, bad root, a target we must not touch."""

    code = "MB301"


class CompileFailedError(MusaBuildError):
    """Compilers or linkers failed. `output` says why, step by step, and is shown last and unwrapped; `failed` holds the
    file that each step should have made, and all that it said."""

    code = "MB401"

    def __init__(self, what: str, *, output: str, hint: str = "", failed: tuple[tuple[str, str], ...] = ()) -> None:
        self.failed = failed
        super().__init__(what, hint=hint)
        self.output = output

    def __str__(self) -> str:
        return f"{super().__str__()}\n\n{self.output.rstrip()}"


class UnexpectedToolError(MusaBuildError):
    """torch, setuptools or the SDK behaves in a way that this release of musa_build does not know."""

    code = "MB402"


class ForceMusaError(MusaBuildError):
    """FORCE_MUSA=1 and a package or an environment with which it could only become a build for the CPU."""

    code = "MB501"
