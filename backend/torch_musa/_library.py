"""Load the compiled part, lib/libmusa_python.so, and the simulated SDK's libraries that it needs.

The libraries have the path of the SDK that they were built with, so usually the dynamic loader finds the SDK's by
itself. There are two other cases. If MUSA_HOME names another simulated SDK, that one is loaded. If the SDK is gone (it
lives in a cache), `python -m musa_sim root` creates it again. The copy that is loaded first serves the whole process,
because libraries are found by their SONAMEs.
"""

from __future__ import annotations

import ctypes
import importlib.metadata
import importlib.util
import json
import os
import sys
from importlib.machinery import ExtensionFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

LIBRARY = Path(__file__).resolve().parent / "lib" / "libmusa_python.so"
KERNELS = LIBRARY.with_name("libmusa_kernels.so")
"""The kernel library, where it was built."""
MUDNN = LIBRARY.with_name("libmusa_mudnn.so")
"""The library that gives some of their work to muDNN, where it was built (USE_MUDNN=1)."""
PYTORCH_KERNELS = LIBRARY.with_name("libmusa_pytorch_kernels.so")
"""PyTorch's own kernels, where `musa-build torch-musa` built them."""
VENDOR_DISTRIBUTION = "torch_musa"
"""Moore Threads' own distribution, whose package has the same import name as ours."""
DISTRIBUTION = "torch-musa-sim"
BUILT_WITH = LIBRARY.with_name("built_with.json")
"""The facts that setup.py compiled the libraries for: the versions of torch and musa-build, the SDK with its version,
and the names of the SDK's libraries that they are linked with, the runtime first."""


def refuse_beside_vendor() -> None:
    """Raise ImportError if Moore Threads' torch_musa is installed too: the files of one overwrote the other's."""
    try:
        version = importlib.metadata.version(VENDOR_DISTRIBUTION)
    except importlib.metadata.PackageNotFoundError:
        return
    raise ImportError(
        f"Both torch-musa-sim (the simulator's torch_musa) and Moore Threads' torch_musa {version} are installed, "
        "and both own the package 'torch_musa'. Uninstall both, then install the one you want: "
        "pip uninstall torch-musa-sim torch_musa"
    )


def refuse_other_build(torch: ModuleType) -> None:
    """Raise ImportError if the libraries were compiled for another PyTorch or simulator: their interfaces differ.

    pip keeps the wheels that it compiles, and installs them in every environment that has the same Python.
    """
    facts = _built_with()
    simulator = importlib.metadata.version("musa-build")
    if facts["musa-build"] != simulator:
        raise ImportError(_refusal("musa-build", facts["musa-build"], simulator))
    if facts["torch"] != torch.__version__ and not _has_same_headers(torch, facts):
        raise ImportError(_refusal("torch", facts["torch"], torch.__version__))


def _has_same_headers(torch: ModuleType, facts: dict[str, Any]) -> bool:
    """Return whether PyTorch is another build of the release that the libraries were compiled for."""
    from musa_build.environment.torch_info import same_headers

    source = {"torch source": torch.version.git_version, "C++ ABI": torch.compiled_with_cxx11_abi()}
    same_source = all(facts.get(name) == value for name, value in source.items())
    return same_source and same_headers(facts["torch"], torch.__version__)


def _refusal(name: str, compiled_for: str, present: str) -> str:
    return f"torch_musa was compiled for {name} {compiled_for}, but this is {present}. {_compile_again()}"


def _refuse_other_sdk(sdk: Path) -> None:
    """Raise ImportError if `sdk` has another version than the one that the libraries were compiled with."""
    facts, version = _built_with(), _simulated_version(sdk)
    if facts["sdk version"] != version:
        raise ImportError(
            f"torch_musa was compiled with the simulated MUSA SDK {facts['sdk version']} in {facts['sdk']}, "
            f"but the one in {sdk} is {version}. {_compile_again()}"
        )


def _built_with() -> dict[str, Any]:
    try:
        facts: dict[str, Any] = json.loads(BUILT_WITH.read_text(encoding="utf-8"))
    except OSError:
        raise ImportError(f"{BUILT_WITH} is missing: {DISTRIBUTION} was not built. {_compile_again()}") from None
    return facts


def _compile_again() -> str:
    from musa_build.system.install_hints import compile_device_hint

    source = Path(__file__).resolve().parents[1]
    if (source / "pyproject.toml").is_file():  # this is the folder of a checkout
        return f"Compile it, which takes some minutes: {compile_device_hint(source)}"
    return f"Compile it again, which takes some minutes: {compile_device_hint()}"


def _simulated_version(sdk: Path) -> str | None:
    """Return the version of a simulated SDK, None for anything else."""
    try:
        facts = json.loads((sdk / "version.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return facts["musa_sim"]["version"] if "musa_sim" in facts else None


def _simulated_sdk_of_user() -> Path | None:
    """Return MUSA_HOME if it is a simulated SDK."""
    home = os.environ.get("MUSA_HOME")
    return Path(home) if home and _simulated_version(Path(home)) else None


def _laid_out_sdk() -> Path:
    """Return the SDK that the installed simulator creates. Raises ImportError if it cannot."""
    from musa_build.environment.sdk import run_simulator

    done = run_simulator("root")
    if done.returncode != 0:
        raise ImportError(
            f"torch_musa finds no {' and '.join(_sdk_libraries())}: it was compiled with {_built_with()['sdk']}, "
            f"which is gone, and no other can be made: {' '.join(done.stderr.strip().splitlines()[-1:])}. "
            "`python -m musa_sim root` says more. Or point MUSA_HOME to a simulated MUSA SDK."
        )
    return Path(done.stdout.strip())


def _sdk_libraries() -> list[str]:
    names: list[str] = _built_with()["sdk libraries"]
    return names


def _load_sdk_libraries(sdk: Path) -> None:
    """Load the SDK's libraries that ours need: the ones that the run path names may be gone."""
    _refuse_other_sdk(sdk)
    for library in _sdk_libraries():
        ctypes.CDLL(str(sdk / "lib" / library))


def load() -> ModuleType:
    """Load torch_musa._MUSAC, which registers the device, its kernels and its fallback with PyTorch.

    Raises:
        ImportError: The library was not built, was built for another PyTorch, or needs a library that was not found.
    """
    name = "torch_musa._MUSAC"
    if name in sys.modules:
        return sys.modules[name]
    if not LIBRARY.is_file():
        raise ImportError(f"{LIBRARY} is missing: {DISTRIBUTION} was not built. {_compile_again()}")
    chosen = _simulated_sdk_of_user()
    if chosen is not None:
        _load_sdk_libraries(chosen)
    try:
        module = _import_extension(name)
    except ImportError as error:
        if not any(library in str(error) for library in _sdk_libraries()):
            raise
        _load_sdk_libraries(_laid_out_sdk())
        module = _import_extension(name)
    sys.modules[name] = module
    if os.environ.get("MUSA_FALLBACK") != "prefer":
        # Their kernels register themselves. PyTorch's come last, so that they replace the others.
        for library in (KERNELS, MUDNN, PYTORCH_KERNELS):
            if library.is_file():
                ctypes.CDLL(str(library))
    return module


def _import_extension(name: str) -> ModuleType:
    # Not an ordinary import: the module's file is a library that extensions link to, with a library's name.
    spec = importlib.util.spec_from_file_location(name, LIBRARY, loader=ExtensionFileLoader(name, str(LIBRARY)))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
