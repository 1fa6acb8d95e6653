"""Check what a build needs on this machine. Each finding is one line, with a hint if something is missing."""

from __future__ import annotations

import importlib.metadata
import os
import sys
import sysconfig
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Optional

from packaging.version import Version

from ..builder import runner
from ..builder.machine import Machine, free_memory, usable_cores
from ..environment.sdk import OF_CARDS, MusaArch, MusaSdk, choose_archs
from ..environment.settings import ARCH, SIMULATOR, Settings
from ..environment.torch_info import (
    TorchInfo,
    TorchMusa,
    installed_torch_version,
    mismatch,
    other_sdk,
    same_headers,
)
from ..environment.torch_musa_import import OF_THE_DRIVER, ImportOfTorchMusa, hint
from ..errors import MusaBuildError, SdkNotFoundError, ToolNotFoundError
from ..system import process
from ..system.install_hints import INSTALL_SIMULATED_DEVICE, compile_device_hint, install_hint
from .finding import Finding

OLDEST_SETUPTOOLS = "59"  # the oldest with the errors that BuildExtension raises
AUTOLOAD = "TORCH_DEVICE_BACKEND_AUTOLOAD"


def examine(*, running: bool = False, begins: Callable[[str], None] = lambda name: None) -> Iterator[Finding]:
    """Check all that a build needs, and with `running` also what one kernel computes. Errors become findings.

    Yield each finding as soon as it is known. `begins` hears of the checks that may take seconds.
    """
    yield Finding("python", True, f"{sys.version.split()[0]} ({sys.executable})")
    yield _finding("Python.h", _python_headers)
    yield _finding("setuptools", _setuptools)
    sdk = None
    try:
        machine = Machine.read()
    except MusaBuildError as error:
        yield Finding("settings", False, str(error))
    else:
        begins("MUSA SDK")
        sdk = machine.sdk_or_none
        yield from _machine_findings(machine)
        if running and sdk is not None:
            from .one_kernel import run_one_kernel  # only this option needs it

            begins("a kernel")
            yield _finding("a kernel", lambda: run_one_kernel(machine))
    yield from _of_cards(sdk) if sdk else ()
    begins("torch")
    yield _finding("torch", _torch)
    begins("torch_musa")
    yield _torch_musa(sdk)
    if sdk:
        begins("CUDA toolkit")
        yield _cuda_toolkit(sdk)
    yield _cmake()
    yield _finding("ninja", _ninja_version)
    yield from _lost_programs()


def wants_simulator() -> bool:
    """Return whether the user's settings, as far as they can be read, ask for the simulator."""
    try:
        return Settings.read().flag(SIMULATOR)
    except MusaBuildError:
        return False


def next_steps(findings: Sequence[Finding], *, on_simulator: bool = False) -> tuple[str, ...]:
    """Return the three commands that fit this machine, with their purpose; fewer while something is missing.

    `on_simulator` is whether the user asked for the simulator.
    """
    state = {finding.name: finding.ok for finding in findings}
    if not all(finding.ok for finding in findings if finding.required):
        steps = ["repair what is MISSING above, then run `musa-build doctor` again"]
        if not state.get("MUSA SDK", True) and not on_simulator:
            steps.insert(0, "export MUSA_BUILD_SIMULATOR=1      # no MUSA card: build and run on the CPU")
        return tuple(steps)
    of_sdk = [finding for finding in findings if finding.name == "MUSA SDK"]
    simulated = any("simulat" in finding.text for finding in of_sdk)
    package = "FORCE_MUSA=1 pip install --no-build-isolation --no-deps PKG    # build a CUDA package as it is"
    of_device = [finding.text for finding in findings if finding.name == "torch_musa"]
    if not of_device or of_device[0].startswith("not installed;"):
        device = INSTALL_SIMULATED_DEVICE if simulated else "install Moore Threads' torch_musa for this torch"
        return (f"{device}    # PyTorch's device musa: needed to run extensions", _DEMO, package)
    if not state["torch_musa"]:
        return ("repair torch_musa as its row says: it is needed to run extensions", _DEMO, package)
    if simulated:
        return (_DEMO, package, "musa-build sim run --check=memory,race -- pytest    # find errors in kernels")
    return ("musa-build verify                  # is what we assume about MUSA true on this machine?", _DEMO, package)


_DEMO = "musa-build demo                    # an extension that is written in CUDA, ported, built and run"


def _machine_findings(machine: Machine) -> Iterator[Finding]:
    sdk = _finding("MUSA SDK", lambda: str(machine.sdk))
    yield sdk
    if sdk.ok:
        yield from _other_sdks(machine)
        yield _finding("mcc", lambda: _mcc_version(machine))
    yield _architectures(machine, has_sdk=sdk.ok)
    cxx = _finding("C++ compiler", lambda: _cxx_version(machine))
    yield cxx
    if cxx.ok:
        yield _finding("launcher", lambda: _launcher(machine))
    yield _finding("jobs", lambda: _jobs(machine))


def _finding(name: str, check: Callable[[], str]) -> Finding:
    try:
        return Finding(name, True, check())
    except MusaBuildError as error:
        return Finding(name, False, str(error))


def _other_sdks(machine: Machine) -> Iterator[Finding]:
    """Yield the SDKs that a build would not use: a frequent cause of mixed headers and libraries."""
    for sdk in MusaSdk.all(machine.settings):
        if sdk.root.resolve() != machine.sdk.root.resolve():
            yield Finding("another MUSA SDK", True, f"{sdk}, not used", required=False)


def _launcher(machine: Machine) -> str:
    launcher = machine.launcher
    if launcher is None:
        return "none; install ccache for faster repeated builds"
    command = " ".join(launcher.command)
    if launcher.is_ccache:
        return f"{command} for C++ and MUSA"
    if launcher.is_distcc:
        return f"{command} for C++, and MUSA with the simulated SDK's mcc"
    return f"{command} for C++ only; mcc supports no launcher but ccache and distcc"


def _cmake() -> Finding:
    found = process.find_program("cmake")
    if found is None:
        return Finding("cmake", False, "not found; only CMake projects need it", required=False)
    finding = _finding("cmake", lambda: f"{_first_line(str(found), '--version')} ({found})")
    return replace(finding, required=False)


def _cuda_toolkit(sdk: MusaSdk) -> Finding:
    """Return the CUDA toolkit for other build systems: its folder, the version that it announces, and nvcc's answer."""
    from ..cuda_toolkit.architectures import VERSION
    from ..cuda_toolkit.root import written_toolkit

    def text() -> str:
        root = written_toolkit(sdk)
        if root is None:  # doctor only looks
            return "not written yet; the first build that needs it writes it"
        done = process.run([str(root / "bin" / "nvcc"), "--version"])
        release = [line for line in done.stdout.splitlines() if "release" in line]
        if done.returncode or not release:
            found = done.stderr.strip() or done.stdout.strip() or f"exit code {done.returncode}"
            hint = f"remove {root}: the next build writes it again"
            raise ToolNotFoundError("the CUDA toolkit's nvcc does not answer", found=found, wanted=VERSION, hint=hint)
        return f"announces {VERSION}; nvcc answers: {release[0]} ({root})"

    return replace(_finding("CUDA toolkit", text), required=False)


def _mcc_version(machine: Machine) -> str:
    """Return the version of the mcc that a build would run, which PYTORCH_MCC may choose."""
    command = machine.mcc
    done = process.run([*command, "--version"])
    if done.returncode:
        raise SdkNotFoundError(
            f"{command[0]} does not run",
            found=done.stderr.strip(),
            hint="reinstall the MUSA SDK, or set PYTORCH_MCC to an mcc that runs",
        )
    lines = [line for line in done.stdout.splitlines() if "version" in line]
    return f"{'; '.join(lines) or 'of unknown version'} ({command[0]})"


def _python_headers() -> str:
    header = Path(sysconfig.get_path("include")) / "Python.h"
    if not header.is_file():
        raise ToolNotFoundError(
            "Python's headers are not installed",
            found=f"no {header}",
            hint="install them (Debian, Ubuntu: apt install python3-dev)",
        )
    return str(header)


def _setuptools() -> str:
    """Return the version of setuptools from its metadata: importing it is slow."""
    version = _installed_version("setuptools")
    if not version:
        raise ToolNotFoundError("setuptools is not installed", hint=install_hint("setuptools"))
    if Version(version) < Version(OLDEST_SETUPTOOLS):
        raise ToolNotFoundError(
            "setuptools is too old",
            found=version,
            wanted=f"{OLDEST_SETUPTOOLS} or newer",
            hint="pip install --upgrade setuptools",
        )
    return version


def _lost_programs() -> Iterator[Finding]:
    """Yield programs of musa-tools that pip removed with another package that has programs of the same names."""
    try:
        own = importlib.metadata.distribution("musa-tools")
    except importlib.metadata.PackageNotFoundError:
        return
    for name in sorted(entry.name for entry in own.entry_points if entry.group == "console_scripts"):
        if not Path(sysconfig.get_path("scripts"), name).exists():
            command = f"pip install --force-reinstall --no-deps musa-tools=={own.version}"
            yield Finding(
                name, False, f"not installed; pip removes it with torch_musa; hint: {command}", required=False
            )


def _installed_version(distribution: str) -> str:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _architectures(machine: Machine, *, has_sdk: bool) -> Finding:
    """Return the architectures that a build compiles for. Without an SDK, the cards are not known."""

    def text() -> str:
        choice = choose_archs(machine.settings.value(ARCH), lambda: machine.cards)
        reason = "the simulated card" if choice.reason == OF_CARDS and machine.sdk.simulated else choice.reason
        return f"{' '.join(arch.name for arch in choice.archs)} (from {reason})"

    if not has_sdk and machine.settings.value(ARCH).is_default:
        return Finding("architectures", False, "not known without an SDK, which names the cards", required=False)
    return _finding("architectures", text)


def _of_cards(sdk: MusaSdk) -> Iterator[Finding]:
    """Yield the rows of libmusart, the driver and the cards. A build needs none of them, a program all."""
    answers = sdk.answers()
    library = sdk.runtime_library
    if not answers.loads:
        cure = f"; hint: {OF_THE_DRIVER}" if "libmusa.so" in answers.error else ""
        yield Finding("libmusart", False, f"{library} does not load: {answers.error}{cure}", required=False)
        return
    version = f", version {answers.runtime}" if answers.runtime else ""
    yield Finding("libmusart", not answers.error, f"{answers.error or library}{version}", required=False)
    if sdk.simulated:
        yield Finding("driver", True, "simulated", required=False)
    elif answers.driver and answers.driver < answers.runtime:
        text = f"it knows MUSA {answers.driver}, older than libmusart's {answers.runtime}; hint: update the driver"
        yield Finding("driver", False, text, required=False)
    else:
        text = f"it knows MUSA {answers.driver}" if answers.driver else "libmusart finds none"
        yield Finding("driver", bool(answers.driver), text, required=False)
    cards = [f"{index}: {arch.name}" for index, arch in enumerate(MusaArch(*pair) for pair in answers.cards)]
    none = f"none; musaGetDeviceCount: {answers.status}" if answers.status else "none"
    yield Finding("card", bool(cards), ", ".join(cards) or none, required=False)


@contextmanager
def _without_loading_devices() -> Iterator[None]:
    """Import torch without its devices: a torch_musa that cannot be imported has a row of its own."""
    before = os.environ.get(AUTOLOAD)
    os.environ[AUTOLOAD] = "0"
    try:
        yield
    finally:
        if before is None:
            del os.environ[AUTOLOAD]
        else:
            os.environ[AUTOLOAD] = before


def _torch() -> str:
    # torch prints that it finds no CUDA runtime where CUDA_HOME is set
    with _without_loading_devices(), redirect_stderr(StringIO()):
        torch = TorchInfo.find()
    return f"{torch.version} ({'new' if torch.cxx11_abi else 'old'} C++ ABI, needs {torch.cxx_floor} or newer)"


def _torch_musa(sdk: Optional[MusaSdk]) -> Finding:
    found = TorchMusa.find()
    if found is None:
        return Finding(
            "torch_musa",
            False,
            "not installed; extensions build without it, but importing one needs it",
            required=False,
        )
    if not found.has_library:
        text = f"{found.root} has no lib/libmusa_python.so; it was not built, or this is only its source folder"
        return Finding("torch_musa", False, text, required=False)
    torch_version = installed_torch_version()
    if found.built_for and torch_version and not same_headers(found.built_for, torch_version):
        text = f"{found.root} was compiled for torch {found.built_for}, but this is {torch_version}"
        cure = f"compile it again, which takes some minutes: {compile_device_hint()}"
        return Finding("torch_musa", False, f"{text}; hint: {cure}")
    error = mismatch(found, sdk) if sdk else None
    if error:
        return Finding("torch_musa", False, str(error))
    outcome = ImportOfTorchMusa.tried()
    if not outcome.works:
        cure = hint(outcome, found.root, sdk.library_dirs if sdk else ())
        text = f"{found.root} cannot be imported with torch {outcome.torch or torch_version}; found: {outcome.found}"
        return Finding("torch_musa", False, f"{text}; hint: {cure}" if cure else text, required=_loads_devices())
    other = other_sdk(found, sdk) if sdk else None
    notes = [f"built with the SDK in {other}"] if other else []
    return Finding("torch_musa", True, ", ".join([f"{outcome.torch_musa} ({found.root})", *notes, *outcome.warnings]))


def _loads_devices() -> bool:
    """Return whether `import torch`, and with it a build, fails where torch_musa cannot be imported."""
    version = installed_torch_version()
    return os.environ.get(AUTOLOAD, "1") != "0" and bool(version) and Version(version).release >= (2, 5)


def _cxx_version(machine: Machine) -> str:
    command = machine.cxx
    done = process.run([*command, "--version"])
    if done.returncode:
        found = (done.stderr.strip() or f"exit code {done.returncode}").splitlines()[0]
        raise ToolNotFoundError(f"{command[0]} does not run", found=found, hint="set CXX to a C++ compiler that runs")
    return done.stdout.strip().splitlines()[0] if done.stdout.strip() else command[0]


def _ninja_version() -> str:
    ninja = str(runner.find_ninja())
    return f"{_first_line(ninja, '--version')} ({ninja})"


def _jobs(machine: Machine) -> str:
    jobs, of_mcc = machine.jobs(), machine.mcc_jobs()
    cores, memory = usable_cores(), free_memory()
    limit = f", {of_mcc} of them mcc" if of_mcc else ""
    return f"{jobs} at once{limit} ({cores} cores, {memory >> 30} GiB of free memory)"


def _first_line(*command: str) -> str:
    done = process.run(command)
    return (done.stdout.strip() or done.stderr.strip() or "no answer").splitlines()[0]
