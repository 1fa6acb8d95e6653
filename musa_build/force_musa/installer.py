"""`musa-build install`: pip under FORCE_MUSA=1, with what its users trip over taken care of, and a self-test."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional

from packaging.requirements import InvalidRequirement, Requirement

from ..environment.sdk import MusaSdk
from ..environment.settings import Settings
from ..environment.torch_info import TorchMusa
from ..errors import ForceMusaError, TorchNotFoundError
from ..system import process
from .report import VARIABLE, Report
from .self_test import ALL_DEVICES, MUSA, NONE

Tell = Callable[[str], None]

# The last that has pkg_resources, which the setup.py of older packages import.
_OLD_SETUPTOOLS = "setuptools>=77,<82"
_INTERESTING = re.compile(r"\s*(\[\d+/\d+\] |musa_build \| |(?:error: )?FORCE_MUSA|Successfully |Collecting )")
_LINES = 200  # of pip's output, when it fails without an error of ours


@dataclass(frozen=True)
class Installed:
    """What was installed: the build's own report and what the self-test saw."""

    report: Report
    extensions: Mapping[str, Mapping[str, Any]]
    operators: Mapping[str, str]
    missing: tuple[str, ...] = ()
    broken: tuple[str, ...] = field(default=())

    def lines(self) -> list[str]:
        """For a person."""
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
            lines.append(f"operators of PyTorch with code of their own for MUSA: {count} of {len(self.operators)}")
        if names[ALL_DEVICES]:
            lines.append(f"with one code for all devices, not looked into: {', '.join(names[ALL_DEVICES])}")
        return [*lines, *(f"operator without code for MUSA: {name}" for name in names[NONE])]


def _loaded(name: str, entry: Mapping[str, Any]) -> str:
    count = len(entry["functions"])
    return f"{name}: loads, {count} function{'s' if count != 1 else ''}"


def install(
    requirement: str, pip_options: Sequence[str], environment: Mapping[str, str], tell: Tell, verbose: bool = False
) -> Installed:
    """Build `requirement` (a name, name==version, a folder or a source archive) for MUSA and install it.

    `environment` is set for the build; `tell` gets progress. Raises ForceMusaError, SdkNotFoundError,
    TorchNotFoundError.
    """
    _check_environment({**os.environ, **environment})
    with tempfile.TemporaryDirectory(prefix="musa-build-install-") as folder:
        report_file = Path(folder) / "report.json"
        build_environment = {**environment, "FORCE_MUSA": "1", VARIABLE: str(report_file)}
        build_environment.update(_python_path(_old_setuptools(Path(folder), tell)))
        _run_pip(requirement, pip_options, build_environment, tell, verbose)
        if not report_file.exists():
            raise ForceMusaError(
                f"{requirement} was installed, but nothing was built for MUSA",
                found="no extension that PyTorch's build tools were asked for",
                wanted="a package with CUDA sources",
                hint="if it is pure Python, pip install it as any other; else its build is not PyTorch's",
            )
        report = Report.load(report_file)
        return _examined(report, _target(pip_options))


def _check_environment(environment: Mapping[str, str]) -> None:
    """Raises what a build would raise, before anything is downloaded."""
    if importlib.util.find_spec("torch") is None:
        raise TorchNotFoundError(
            "PyTorch is not installed", found=sys.executable, wanted="torch 2.2 or newer", hint="install it first"
        )
    if TorchMusa.find() is None:
        raise TorchNotFoundError(
            "torch_musa is not installed",
            found=sys.executable,
            wanted="the torch_musa that the package will run with",
            hint="install Moore Threads' torch_musa, or the simulated one of musa_build (backend/)",
        )
    MusaSdk.find(Settings(environment, {}))


def _old_setuptools(folder: Path, tell: Tell) -> Optional[Path]:
    """A folder with a setuptools that has pkg_resources, for this build alone; None where there is one already."""
    if importlib.util.find_spec("pkg_resources") is not None:
        return None
    target = folder / "setuptools"
    tell(f"this environment has no pkg_resources, which many setup.py need: {_OLD_SETUPTOOLS} for this build alone")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    done = process.run([*command, "--target", str(target), _OLD_SETUPTOOLS])
    if done.returncode:
        raise ForceMusaError(
            f"{_OLD_SETUPTOOLS} cannot be had",
            found=_last_line(done.stderr) or f"pip ended with {done.returncode} and said nothing",
            hint="is there a network?",
        )
    return target


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[-1]


def _python_path(folder: Optional[Path]) -> dict[str, str]:
    if folder is None:
        return {}
    return {"PYTHONPATH": os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])}


def _run_pip(
    requirement: str, options: Sequence[str], environment: Mapping[str, str], tell: Tell, verbose: bool
) -> None:
    # From source, and anew: a wheel from the index, or what is installed already, may be for CUDA or the CPU.
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--verbose"]
    command += ["--no-build-isolation", "--no-deps", "--force-reinstall", *options]
    name = _project_name(requirement)
    if name:
        command += ["--no-binary", name]
    said: list[str] = []

    def hear(line: str) -> None:
        said.append(line)
        if verbose or _INTERESTING.match(line):
            tell(line.strip())

    if process.stream([*command, requirement], hear, extra_environment=environment):
        ours = [line.strip() for line in said if re.match(r"\s*error: .*\[MB\d+\]", line)]
        if not ours and not verbose:
            tell("\n".join(said[-_LINES:]))
        raise ForceMusaError(
            f"{requirement} was not installed",
            found=ours[0] if ours else "pip's own words, above",
            hint="--verbose shows all of pip's output",
        )


def _examined(report: Report, target: Optional[Path]) -> Installed:
    command = [sys.executable, "-m", "musa_build.force_musa.self_test", report.package]
    done = process.run(command, extra_environment=_python_path(target))
    if done.returncode:
        raise ForceMusaError(
            f"{report.package} was installed, but its self-test failed",
            found=_last_line(done.stderr),
            hint="pip's --prefix and --root put it where this Python does not look; --target can be examined",
        )
    seen = json.loads(_last_line(done.stdout))
    extensions = seen["extensions"]
    broken = tuple(path for path, entry in extensions.items() if entry["error"])
    return Installed(report, extensions, seen["operators"], tuple(seen["missing"]), broken)


def _target(options: Sequence[str]) -> Optional[Path]:
    """The folder that pip's --target names."""
    for option, value in zip(options, [*options[1:], ""]):
        name, equals, given = option.partition("=")
        if name in ("-t", "--target"):
            return Path(given if equals else value).absolute()
    return None


def _project_name(requirement: str) -> str:
    """The name in a requirement; "" for a path or an address."""
    try:
        return Requirement(requirement).name
    except InvalidRequirement:
        return ""
