"""The context of one build: the machine, torch, torch_musa, and the compilers with their flags."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Optional

from ..environment.sdk import MusaArch, choose_archs, parse_arch_list
from ..environment.settings import ARCH, COMPILE_COMMANDS, SIM_CHECK, VERBOSE
from ..environment.torch_info import TorchInfo, TorchMusa, check_compatibility
from ..logger_util import LOGGER
from ..mcc_toolchain import MccToolchain, names_arch
from ..toolchain.compilers import CxxToolchain
from ..toolchain.link_inputs import default_library_dirs
from .plan import Toolchains

if TYPE_CHECKING:
    from ..environment.sdk import MusaSdk
    from .machine import Machine
    from .spec import ExtensionSpec


@dataclass(frozen=True)
class BuildContext:
    """The context of one build.

    `sdk` is None if no extension needs it. `library_dirs` are the default directories of the linker.
    """

    machine: Machine
    torch: TorchInfo
    torch_musa: Optional[TorchMusa]
    cxx: CxxToolchain
    sdk: Optional[MusaSdk]
    library_dirs: tuple[str, ...] = ()

    @classmethod
    def find(cls, machine: Machine, specs: Sequence[ExtensionSpec]) -> BuildContext:
        """Find SDK, torch and compilers for `specs`, before anything is compiled.

        Raises:
            SdkNotFoundError: An extension needs an SDK and there is none.
            ToolNotFoundError: There is no C++ compiler.
            TorchNotFoundError: torch cannot be imported.
            SdkMismatchError: torch_musa was built with another SDK.
            SettingError: A setting has an invalid value.
        """
        torch = TorchInfo.find()
        cxx = _cxx_toolchain(machine)
        needs_sdk = any(spec.for_torch or spec.uses_mcc for spec in specs)
        sdk = machine.sdk if needs_sdk else None
        if sdk is not None and sdk.simulated:
            LOGGER.info("building for the simulator (MUSA SDK on the CPU): %s", sdk.root)
        torch_musa = TorchMusa.find()
        # this build may be that of torch_musa itself, to replace one that does not match
        if sdk is not None and not any(spec.name.startswith("torch_musa.") for spec in specs):
            check_compatibility(torch_musa, sdk)
        return cls(machine, torch, torch_musa, cxx, sdk, default_library_dirs(cxx.command))

    @property
    def verbose(self) -> bool:
        return self.machine.settings.flag(VERBOSE)

    @property
    def compile_commands_in_root(self) -> bool:
        return self.machine.settings.flag(COMPILE_COMMANDS)

    def toolchains(self, spec: ExtensionSpec) -> Toolchains:
        """Return the compilers of one extension. Raises ArchError, SettingError, ToolNotFoundError."""
        if self.sdk is None or not spec.uses_mcc:
            return Toolchains(self.cxx, None, self.library_dirs)
        mcc = (*self.machine.mcc, *self._simulator_checks(self.sdk))
        launcher = self.machine.launcher.for_mcc(mcc) if self.machine.launcher else ()
        return Toolchains(self.cxx, MccToolchain(mcc, self._archs(spec), launcher), self.library_dirs)

    def _archs(self, spec: ExtensionSpec) -> tuple[MusaArch, ...]:
        """Return the architectures of an extension. Log the choice if the user did not make it."""
        machine = self.machine
        value = machine.settings.value(ARCH, spec.arch)
        if value.is_default and names_arch(spec.flags.mcc):
            return parse_arch_list(value, lambda: machine.cards)
        choice = choose_archs(value, lambda: machine.cards)
        if not choice.by_user:
            names = " ".join(arch.name for arch in choice.archs)
            LOGGER.info("%s: compiling for %s (%s); TORCH_MUSA_ARCH_LIST names others", spec.name, names, choice.reason)
        return choice.archs

    def _simulator_checks(self, sdk: MusaSdk) -> tuple[str, ...]:
        """Return MUSA_SIM_CHECK as a flag: mcc reads the variable too, but ninja and ccache compare commands."""
        checks = self.machine.settings.value(SIM_CHECK).text
        return (f"--sim-check={checks}",) if checks and sdk.simulated else ()


def _cxx_toolchain(machine: Machine) -> CxxToolchain:
    environment = machine.settings.environment
    requested = " ".join(environment.get(name, "") for name in ("CFLAGS", "CXXFLAGS", "CPPFLAGS")).split()
    debug = any(flag.startswith("-g") for flag in requested)
    return CxxToolchain(machine.cxx, machine.launcher.command if machine.launcher else (), debug)
