"""A project that uses PyTorch's C++ libraries: the conditions for a build, and the port of its sources."""

from __future__ import annotations

from pathlib import Path

from ...environment.sdk import MusaSdk
from ...environment.settings import Settings
from ...environment.torch_info import TorchInfo, TorchMusa, check_compatibility
from ...errors import ForceMusaError
from ..build_environment import require_torch_musa
from ..package_name import Package
from ..quirks import quirks_of
from ..report import Ported


def require(found: str, sdk: MusaSdk, *, is_isolated: bool, wanted: str) -> None:
    """Make sure that a project can be built that uses PyTorch in the file `found`.

    Raises:
        ForceMusaError: The build is one in isolation, or an editable install.
        TorchNotFoundError: There is no torch, or no torch_musa.
        SdkMismatchError: torch_musa and the SDK do not match.
    """
    if is_isolated:
        raise ForceMusaError(
            "this package is built in isolation, with another torch than the one that it will run with",
            found=f"{found} uses PyTorch",
            hint="run pip with --no-build-isolation, or use `musa-build install`",
        )
    if wanted == "editable":
        raise ForceMusaError(
            "an editable install of a CMake package with PyTorch cannot be built for MUSA",
            found=f"{found} uses PyTorch, so the sources are ported in a copy",
            hint="install it without -e",
        )
    TorchInfo.find()
    require_torch_musa()
    check_compatibility(TorchMusa.find(), sdk)


def port_project(copy: Path, ported: Path, package: Package, settings: Settings) -> Ported:
    """Port the project in `copy` into `ported`, by the rules for the package too. All files keep their names.

    Raises:
        SettingError: The user's file of package rules cannot be used.
        PortingError: The sources cannot be ported.
    """
    from ...porting.api import port, validate_options
    from ...porting.engine.rules import rule_set

    rules = quirks_of(package, settings).rules
    done = port(validate_options(copy, rule_set(rules), output=ported, keep_names=True)).report
    return Ported(done.files, done.edits, done.warnings, done.counts)
