"""The errors that musa_build reports to users: one base class, one subclass per cause.

An error has parts: *what* went wrong, what was *found*, what was *wanted*, and a *hint* that says what to do next.
`str(error)` joins them to one line, for logs and for other errors. `error.block` has a line for each: people see it in
a terminal (system/terminal.py wraps and colours it) and under pip. `code` is stable: documentation and scripts may
refer to it. The wording may change. `musa-build explain` has a page for each code.
"""

from __future__ import annotations

from typing import ClassVar


class MusaBuildError(Exception):
    """Base class of the errors that musa_build raises on purpose. None of them needs a traceback."""

    code: ClassVar[str] = "MB000"
    #: The exit status of a command that ends with this error: one of system/exit_status.py
    exit_status: ClassVar[int] = 1

    def __init__(self, what: str, *, found: str = "", wanted: str = "", hint: str = "") -> None:
        self.what = what
        self.found = found
        self.wanted = wanted
        self.hint = hint
        super().__init__(what, found, wanted, hint)

    @property
    def parts(self) -> tuple[tuple[str, str], ...]:
        """The parts after what went wrong, as labels and texts: found, wanted, hint, see."""
        page = f"musa-build explain {self.code}" if self.code != MusaBuildError.code else ""
        labels = (("found", self.found), ("wanted", self.wanted), ("hint", self.hint), ("see", page))
        return tuple((label, text) for label, text in labels if text)

    @property
    def log(self) -> str:
        """The output of programs, which is shown last as it is."""
        return ""

    @property
    def block(self) -> str:
        """The error as lines: what went wrong with its code, then a line for each part, then the output of programs."""
        lines = [f"{self.what} [{self.code}]", *(f"  {label + ':':8}{text}" for label, text in self.parts)]
        return "\n".join([*lines, *(["", self.log] if self.log else [])])

    def __str__(self) -> str:
        line = "; ".join([self.what, *(f"{label}: {text}" for label, text in self.parts)]) + f" [{self.code}]"
        return f"{line}\n\n{self.log}" if self.log else line


class SdkNotFoundError(MusaBuildError):
    """No MUSA SDK was found, or its root has no compiler."""

    code = "MB101"


class ToolNotFoundError(MusaBuildError):
    """A program that the build needs (ninja, the C++ compiler) was not found."""

    code = "MB102"


class TorchNotFoundError(MusaBuildError):
    """PyTorch or torch_musa cannot be imported by the Python that runs the build."""

    code = "MB103"


class SdkMismatchError(MusaBuildError):
    """torch_musa was built with a different SDK than the one this build uses."""

    code = "MB104"


class SettingError(MusaBuildError):
    """A setting (keyword, environment variable, pyproject.toml) has an invalid value."""

    code = "MB201"
    exit_status = 2


class ArchError(SettingError):
    """A name is not a MUSA architecture."""

    code = "MB202"


class SourceError(MusaBuildError):
    """A source file does not exist or cannot be used."""

    code = "MB203"


class UnwritableError(MusaBuildError):
    """The build cannot write to a directory."""

    code = "MB204"


class UnreadableError(MusaBuildError):
    """The build cannot read a file or directory."""

    code = "MB205"


class PortingError(MusaBuildError):
    """CUDA sources cannot be ported: bad rule, bad root, or an output that must not be overwritten."""

    code = "MB301"
    exit_status = 2


class CompileFailedError(MusaBuildError):
    """Compilers or linkers failed.

    `output` is the cause of each failed step. It is shown last and is not wrapped. `failed` holds the output file of
    each failed step, with all that the step printed.
    """

    code = "MB401"

    def __init__(self, what: str, *, output: str, hint: str = "", failed: tuple[tuple[str, str], ...] = ()) -> None:
        self.failed = failed
        super().__init__(what, hint=hint)
        self.output = output

    @property
    def log(self) -> str:
        """The causes of the failed steps."""
        return self.output.rstrip()


class UnexpectedToolError(MusaBuildError):
    """torch, setuptools or the SDK behaves in a way that this release of musa_build does not support."""

    code = "MB402"


class ProjectError(MusaBuildError):
    """A project cannot be made: its name, or the folder."""

    code = "MB206"
    exit_status = 2


class ForceMusaError(MusaBuildError):
    """FORCE_MUSA=1 cannot build this package for MUSA, or not in this environment."""

    code = "MB501"


class CheckoutError(MusaBuildError):
    """PYTORCH_REPO_PATH names no checkout of PyTorch whose kernels can be built."""

    code = "MB207"


class CheckoutVersionError(MusaBuildError):
    """The checkout of PyTorch has another version than the installed PyTorch."""

    code = "MB208"


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a count with its noun, for messages: `1 file`, `2 files`."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
