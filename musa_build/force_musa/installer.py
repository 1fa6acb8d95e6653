"""`musa-build install`: run pip with FORCE_MUSA=1 and the options that a package needs, then test the package."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from packaging.requirements import InvalidRequirement, Requirement

from ..environment.sdk import MusaSdk
from ..environment.settings import Settings
from ..errors import ForceMusaError
from ..system import process
from ..system.pip_command import install_command
from .build_environment import require_torch_musa
from .report import VARIABLE, Report
from .self_test import ALL_DEVICES, MUSA, NONE

Log = Callable[[str], None]  # receives a line for the user

# The last versions with pkg_resources, which the setup.py of older packages import.
_OLD_SETUPTOOLS = "setuptools>=77,<82"
_PROGRESS = re.compile(
    r"\s*(\[\d+/\d+\] |still compiling |musa_build \| |(?:error: )?FORCE_MUSA|Successfully |Collecting "
    r"|(?:found|wanted|hint|see): )"
)

_LAST_LINES = 200  # of pip's output, if it fails without an error of ours


@dataclass(frozen=True)
class Installed:
    """An installed package: the report of its build, and the results of the self-test."""

    report: Report
    extensions: Mapping[str, Mapping[str, Any]]
    operators: Mapping[str, str]
    missing: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        """Return the summary for a person."""
        lines = self.report.lines()
        for path, entry in self.extensions.items():
            name = Path(path).name
            lines.append(f"{name}: does not load: {entry['error']}" if entry["error"] else _loaded(name, entry))
        lines += self._operator_lines()
        if self.missing:
            lines.append(f"not installed yet: pip install {shlex.join(self.missing)}")
        return lines

    def _operator_lines(self) -> list[str]:
        names = {kind: [name for name, has in self.operators.items() if has == kind] for kind in (ALL_DEVICES, NONE)}
        lines = []
        if self.operators:
            count = sum(has == MUSA for has in self.operators.values())
            lines.append(f"operators of PyTorch with a MUSA implementation: {count} of {len(self.operators)}")
        if names[ALL_DEVICES]:
            lines.append(f"with one implementation for all devices, not tested: {', '.join(names[ALL_DEVICES])}")
        return [*lines, *(f"operator without a MUSA implementation: {name}" for name in names[NONE])]


def _loaded(name: str, entry: Mapping[str, Any]) -> str:
    count = len(entry["functions"])
    return f"{name}: loads, {count} function{'s' if count != 1 else ''}"


def install(
    requirement: str, pip_options: Sequence[str], environment: Mapping[str, str], log: Log, verbose: bool = False
) -> Installed:
    """Build a package for MUSA and install it.

    Args:
        requirement: A name, name==version, a directory or a source archive.
        pip_options: More options for pip.
        environment: Variables to set for the build.
        log: Gets progress, line by line.
        verbose: Whether `log` gets all of pip's output.

    Raises:
        ForceMusaError: The package has nothing for MUSA, or could not be built, installed or tested.
        SdkNotFoundError: There is no MUSA SDK.
        TorchNotFoundError: There is torch, and no torch_musa.
    """
    _check_environment({**os.environ, **environment})
    with tempfile.TemporaryDirectory(prefix="musa-build-install-") as folder:
        report_file = Path(folder) / "report.json"
        build_environment = {**environment, "FORCE_MUSA": "1", VARIABLE: str(report_file)}
        build_environment.update(_python_path(_old_setuptools(Path(folder), log)))
        _run_pip(requirement, pip_options, build_environment, log, verbose)
        if not report_file.exists():
            raise ForceMusaError(
                f"{requirement} was installed, but nothing was built for MUSA",
                found="no extension, and no call of the CUDA toolkit's nvcc",
                wanted="a package with CUDA sources",
                hint="install pure Python packages with pip",
            )
        report = Report.load(report_file)
        return _self_tested(report, _target(pip_options))


def _check_environment(environment: Mapping[str, str]) -> None:
    """Raise the errors that a build would raise, before anything is downloaded.

    Without PyTorch, only packages that need none can be built: the build says which do.
    """
    if importlib.util.find_spec("torch") is not None:
        require_torch_musa()
    MusaSdk.find(Settings(environment, {}))


def _old_setuptools(folder: Path, log: Log) -> Optional[Path]:
    """Return a directory with a setuptools that has pkg_resources, for this build; None if one is installed."""
    if importlib.util.find_spec("pkg_resources") is not None:
        return None
    target = folder / "setuptools"
    log(f"this environment has no pkg_resources, which many setup.py need: using {_OLD_SETUPTOOLS} for this build")
    done = process.run([*install_command(), "--quiet", "--target", str(target), _OLD_SETUPTOOLS])
    if done.returncode:
        raise ForceMusaError(
            f"could not install {_OLD_SETUPTOOLS}",
            found=_last_line(done.stderr) or f"pip exited with code {done.returncode} and printed no error",
            hint="check the network connection",
        )
    return target


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[-1]


def _python_path(folder: Optional[Path]) -> dict[str, str]:
    if folder is None:
        return {}
    return {"PYTHONPATH": os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])}


def _run_pip(requirement: str, options: Sequence[str], environment: Mapping[str, str], log: Log, verbose: bool) -> None:
    # From source, and again: a wheel of the index, or the installed package, may be for CUDA or the CPU.
    command = [*install_command(), "--verbose", "--no-build-isolation", "--no-deps", "--force-reinstall", *options]
    name = _project_name(requirement)
    if name:
        command += ["--no-binary", name]
    output: list[str] = []

    def on_line(line: str) -> None:
        output.append(line)
        if verbose or _PROGRESS.match(line):
            log(line.strip())

    if process.stream([*command, requirement], on_line, extra_environment=environment):
        errors = [line.strip() for line in output if re.match(r"\s*error: .*\[MB\d+\]", line)]
        if not errors and not verbose:
            log("\n".join(output[-_LAST_LINES:]))
        raise ForceMusaError(
            f"could not install {requirement}",
            found=errors[0] if errors else "an error of pip's, shown above",
            hint="--verbose shows all of pip's output",
        )


def _self_tested(report: Report, target: Optional[Path]) -> Installed:
    command = [sys.executable, "-m", "musa_build.force_musa.self_test", report.package]
    done = process.run(command, extra_environment=_python_path(target))
    if done.returncode:
        raise ForceMusaError(
            f"{report.package} was installed, but its self-test failed",
            found=_last_line(done.stderr),
            hint="this Python does not import from pip's --prefix or --root; use --target instead",
        )
    seen = json.loads(_last_line(done.stdout))
    extensions = seen["extensions"]
    broken = tuple(path for path, entry in extensions.items() if entry["error"])
    return Installed(report, extensions, seen["operators"], tuple(seen["missing"]), broken)


def _target(options: Sequence[str]) -> Optional[Path]:
    """Return the directory of pip's --target."""
    for option, value in zip(options, [*options[1:], ""]):
        name, equals, given = option.partition("=")
        if name in ("-t", "--target"):
            return Path(given if equals else value).absolute()
    return None


def _project_name(requirement: str) -> str:
    """Return the name in a requirement; "" for a path or a URL."""
    try:
        return Requirement(requirement).name
    except InvalidRequirement:
        return ""
