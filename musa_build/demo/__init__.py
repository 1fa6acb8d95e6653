"""`musa-build demo`: port, build and run freqencoder, a CUDA extension, and draw what it computes.

The example is the folder examples/freqencoder of the repository; a wheel has a copy of it beside this file.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import sys
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .. import __version__
from ..environment.sdk import MusaSdk
from ..environment.settings import Settings
from ..environment.torch_info import TorchMusa, installed_torch_version, torch_musa_not_found
from ..environment.torch_musa_import import ImportOfTorchMusa, hint
from ..errors import CompileFailedError, ProjectError, SdkNotFoundError, TorchNotFoundError
from ..system import files, process
from ..system.install_hints import COMPILE_OPTIONS, INSTALL_SIMULATED_DEVICE, install_hint
from ..system.pip_command import install_command

BACKEND = f"torch-musa-sim=={__version__}"
TOOLS = f"musa-tools=={__version__}"
"""A requirement of torch-musa-sim, named because of `--no-deps`: pip must leave torch as it is."""
PICTURE = "freqencoder.svg"
_PROGRESS = re.compile(r"\s*(\[\d+/\d+\] .*|still compiling .*)")
_IN_WHEEL = Path(__file__).with_name("example")
_IN_CHECKOUT = Path(__file__).parents[2] / "examples" / "freqencoder"
_SUFFIXES = {".cpp", ".cu", ".h", ".md", ".py", ".toml"}
_MADE = {"src_musa", "build", "__pycache__"}


def example() -> Path:
    """Return the folder of the example."""
    return _IN_WHEEL if _IN_WHEEL.is_dir() else _IN_CHECKOUT


def sources(folder: Path) -> list[Path]:
    """Return the example's files, relative to its folder, without the outputs of builds."""
    found = (path.relative_to(folder) for path in sorted(folder.rglob("*")) if path.suffix in _SUFFIXES)
    return [path for path in found if not _MADE.intersection(path.parts) and "egg-info" not in str(path)]


@dataclass
class ProgressLog:
    """Shows the progress lines of a program at once and keeps its last lines for an error."""

    say: Callable[[str], None]
    last: deque[str] = field(default_factory=lambda: deque(maxlen=60))

    def line(self, text: str) -> None:
        """Process a line of the program's output."""
        self.last.append(text)
        progress = _PROGRESS.match(text)
        if progress:
            self.say(f"    {progress[1]}")


def run(output: Path, say: Callable[[str], None], *, install: bool) -> Path:
    """Run the demo in the folder `output` and report progress through `say`. Return the path of the picture.

    With `install`, install PyTorch's simulated device first if it is missing or was compiled for another PyTorch, and
    numpy.

    Raises:
        TorchNotFoundError: torch or torch_musa is missing, or torch_musa cannot be imported.
        ProjectError: `output` holds something else, or cannot be written.
        CompileFailedError: The build failed, or the results are wrong.
    """
    say("[1/4] what is here")
    environment = {**_sdk_environment(say), "MUSA_BUILD_LOG": os.environ.get("MUSA_BUILD_LOG", "warning")}
    from ..system.waiting import Waiting

    with Waiting(sys.stdout) as waiting:
        waiting.begins("    still working")
        return _run_steps(output, waiting.before(say), environment, install=install)


def _run_steps(output: Path, say: Callable[[str], None], environment: dict[str, str], *, install: bool) -> Path:
    _require_torch(say, environment, install=install)
    say("[2/4] copy the CUDA extension")
    folder = copy_example(output, say)
    say("[3/4] port it and build it for MUSA (a minute the first time)")
    _python(["setup_musa.py", "build_ext", "--inplace"], folder, environment, say, "the example does not build")
    say("[4/4] run it, and compare it with NumPy")
    shown = _python(["demo.py", "--out", str(output.absolute())], folder, environment, say, "the example does not run")
    for line in shown:
        say(f"    {line}")
    return output / PICTURE


def _sdk_environment(say: Callable[[str], None]) -> dict[str, str]:
    """Return the variables that choose the SDK: the user's own if there is one, otherwise the simulated one."""
    try:
        sdk = MusaSdk.find(Settings.read())
        text = str(sdk)
    except SdkNotFoundError:
        os.environ["MUSA_BUILD_SIMULATOR"] = "1"
        sdk = MusaSdk.find(Settings.read())
        text = f"{sdk.name} (chosen by demo)"
    say(f"    {text}")
    return {"MUSA_BUILD_SIMULATOR": "1"} if sdk.simulated else {}


def _require_torch(say: Callable[[str], None], environment: dict[str, str], *, install: bool) -> None:
    if not _is_here("torch"):
        raise TorchNotFoundError("torch is not installed", found=f"none in {sys.prefix}", hint=install_hint("torch"))
    can_install = install and bool(environment.get("MUSA_BUILD_SIMULATOR"))
    if not _is_here("torch_musa"):
        if not can_install:
            raise TorchNotFoundError(
                "torch_musa, PyTorch's device musa, is not installed",
                found=f"none in {sys.prefix}",
                hint=f"musa-build demo --install, or: {INSTALL_SIMULATED_DEVICE}=={__version__}",
            )
        say(f"    installing {BACKEND}, PyTorch's device musa for the simulator (some minutes if it is compiled)")
        _install(("--no-deps", "--no-build-isolation", "--no-cache-dir", TOOLS, BACKEND), environment, say)
    if not _is_here("numpy"):
        if not install:
            raise TorchNotFoundError(
                "numpy is not installed",
                found=f"none in {sys.prefix}",
                hint=f"musa-build demo --install, or: {install_hint('numpy')}",
            )
        say("    installing numpy, with which the results are compared")
        _install(("numpy",), environment, say)
    _require_device(say, environment, can_install=can_install)


def _require_device(say: Callable[[str], None], environment: dict[str, str], *, can_install: bool) -> None:
    """Import torch_musa. Compile the simulator's for this torch if that helps, and `can_install`."""
    outcome = ImportOfTorchMusa.tried()
    if outcome.advice and can_install:
        say(f"    {outcome.found}: compiling it for this torch (some minutes)")
        _install((*COMPILE_OPTIONS, BACKEND), environment, say)
        outcome = ImportOfTorchMusa.tried()
    if not outcome.works:
        found = TorchMusa.find()
        cure = hint(outcome, found.root, ()) if found else ""
        raise torch_musa_not_found("; ".join(outcome.errors), outcome.torch or installed_torch_version(), cure)
    say(f"    torch {outcome.torch}, with the device musa")


def _is_here(name: str) -> bool:
    importlib.invalidate_caches()  # pip may have just installed it
    return importlib.util.find_spec(name) is not None


def _install(arguments: Sequence[str], environment: dict[str, str], say: Callable[[str], None]) -> None:
    command = [*install_command(), "--verbose", *arguments]
    _run(command, Path.cwd(), environment, say, f"{arguments[-1]} cannot be installed")


def copy_example(output: Path, say: Callable[[str], None]) -> Path:
    """Copy the example into the folder `output`. Return its folder. Raises ProjectError if other files are there."""
    folder = output / "freqencoder"
    if output.exists() and not (folder / "setup_musa.py").is_file() and (not output.is_dir() or any(output.iterdir())):
        raise ProjectError(
            f"cannot run the demo in {output}",
            found="it is a file" if output.is_file() else "there are files in it",
            wanted="a folder that is empty or does not exist, or that of an earlier demo",
            hint="choose another one with --output",
        )
    try:
        for path in sources(example()):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            files.write_if_changed(folder / path, (example() / path).read_bytes())
    except OSError as error:
        raise ProjectError(f"cannot run the demo in {output}", found=error.strerror or str(error)) from error
    say(f"    {folder}")
    return folder


def _python(
    arguments: Sequence[str], folder: Path, environment: dict[str, str], say: Callable[[str], None], failure: str
) -> list[str]:
    """Run this Python in a folder, and return the lines that are no progress. Raises CompileFailedError if it fails."""
    return _run([sys.executable, *arguments], folder, environment, say, failure)


def _run(
    command: Sequence[str], folder: Path, environment: dict[str, str], say: Callable[[str], None], failure: str
) -> list[str]:
    log = ProgressLog(say)
    status = process.stream(command, log.line, extra_environment=environment, folder=folder)
    if status:
        raise CompileFailedError(failure, output="\n".join(log.last))
    return [line for line in log.last if not _PROGRESS.match(line)]
