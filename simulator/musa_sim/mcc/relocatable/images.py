"""Make the images of a device link: one module of all bitcode, then the passes as for one source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..clang import arguments, cc1
from ..commands import Commands, two_at_a_time
from ..errors import DriverError
from ..image.link import pack
from ..llvm_tools import LlvmTools
from ..passes.relocatable import marked_as_managed
from .choose import Candidate, users

if TYPE_CHECKING:
    from ..clang.cc1 import Cc1
    from ..ir.module import Module
    from ..sdk import Sdk

#: of optimisation, from the lowest to the highest
_LEVELS = ("-O0", "-Oz", "-O1", "-Os", "-O2", "-O3")


class LinkedImages(NamedTuple):
    """Makes the images of some device code; `scratch` is a directory that the caller removes."""

    sdk: Sdk
    commands: Commands
    scratch: Path
    checks: int  # bits of the checks that the link asks for, besides those of the objects

    def build(self, chosen: Sequence[Candidate], archs: Sequence[str]) -> bytes:
        """Return the fat binary. Raise DriverError for code that another compiler wrote.

        The image gets the highest level of its objects (functions of -O0 stay as they are) and the checks of all.
        """
        self._refuse_other_writers(chosen)
        from ..device_image import DeviceImages  # all passes: an error above needs nothing of them

        codes = [each.code for each in chosen]
        level = max((code.level for code in codes), key=_LEVELS.index)
        checks = self.checks
        for code in codes:
            checks |= code.checks
        front_end = self._front_end(chosen, level)
        kernels = {kernel.name: kernel for code in reversed(codes) for kernel in code.kernels}
        types = {kind for kernel in kernels.values() for kind in kernel.parameter_types if kind}
        sizes = {kind: int(kind[1:].split(" ")[0]) for kind in types}  # record.py has no other types
        maker = DeviceImages(*(self.sdk, self.commands, front_end, self.scratch, level, bool(checks), users(chosen)))
        built = maker.build(self._modules(chosen, archs, front_end), list(kernels.values()), sizes)
        return pack(built, checks, front_end.cpu_number)

    def _front_end(self, chosen: Sequence[Candidate], level: str) -> Cc1:
        """Return clang's command for code generation: for the CPU that the most demanding of the objects wants."""
        debug = ["-g"] if any(each.code.has_debug_info for each in chosen) else []
        demanding = max((each.code for each in chosen), key=lambda code: code.cpu)
        args = ["-fPIC", level, *debug, *demanding.driver_args]
        return cc1.ask_driver(self.sdk.toolchain, args, "-c", "/dev/null", "-")[0]

    def _modules(self, chosen: Sequence[Candidate], archs: Sequence[str], front_end: Cc1) -> Mapping[str, Module]:
        """Return the linked module of each architecture; those with the same code share one."""
        of_arch = {arch: tuple(each.code.bitcode[arch] for each in chosen) for arch in archs}
        first = {code: arch for arch, code in reversed(list(of_arch.items()))}
        args = arguments.device_backend_args(front_end)
        linked = two_at_a_time(
            {
                code: partial(LlvmTools(self.commands, front_end, args, arch, self.scratch).link, code)
                for code, arch in first.items()
            }
        )
        managed = {name for each in chosen for name in each.code.managed}
        modules = {code: marked_as_managed(module, managed) for code, module in linked.items()}
        return {arch: modules[code] for arch, code in of_arch.items()}

    def _refuse_other_writers(self, chosen: Sequence[Candidate]) -> None:
        own = self.sdk.toolchain.clang_version
        for each in chosen:
            if each.code.writer != own:
                raise DriverError(
                    f"'{each.origin}' was compiled by a mcc with clang {each.code.writer}; this one has {own}: "
                    "compile it again"
                )
