"""The variables of a build with the CUDA toolkit."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ...cuda_toolkit.variables import exported
from ...environment.sdk import MusaSdk, choose_archs
from ...environment.settings import ARCH, Settings
from ...nvcc.main import RECORD as RECORD
from ..cuda_facade import build_variables
from ..levels import FIRST
from ..package_name import Package
from ..quirks import quirks_of

#: How variables begin that build systems and compilers read: with another value, a build directory is another one.
INPUTS = (
    *("CMAKE_", "SKBUILD_", "CC", "CXX", "CFLAGS", "CPPFLAGS", "CXXFLAGS", "LDFLAGS", "CUDA", "NVCC_"),
    *("MUSA_SIM", "TORCH_"),
)


def of_build(
    package: Package, settings: Settings, sdk: MusaSdk, environment: Mapping[str, str], *, with_torch: bool
) -> dict[str, str]:
    """Write the toolkit, and return the variables of a build of the project in the working directory.

    With PyTorch, the structures of the SDK keep MUSA's names, as in the libraries of torch_musa.

    Raises:
        SettingError: A setting, or the user's file of package rules, cannot be used.
    """
    from ...cuda_toolkit.root import toolkit_root

    archs = choose_archs(settings.value(ARCH), sdk.cards).archs
    return {
        **exported(toolkit_root(sdk, musa_types=with_torch), sdk.root, environment),
        **build_variables(FIRST, quirks_of(package, settings), Path("setup.py"), environment),
        ARCH.variables[0]: ";".join(arch.name.removeprefix("mp_") for arch in archs),
    }
