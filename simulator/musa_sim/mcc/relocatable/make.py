"""Make the record of one source: bitcode of its device modules as clang's front end writes them, before all passes."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..clang import arguments
from ..kernel import KernelStub
from ..llvm_tools import LlvmTools
from ..passes.prepare import managed_by_host
from ..passes.relocatable import as_relocatable, shared_names
from .record import LINK_PREFIX, RelocatableCode, Symbols

if TYPE_CHECKING:
    from ..clang.cc1 import Cc1
    from ..commands import Commands
    from ..ir.module import Module
    from ..passes.launches import Modules
    from ..sdk import Sdk


class Unit(NamedTuple):
    """One source, for names that no other source of a program has."""

    source: str
    number: str

    @classmethod
    def of(cls, source: str, args: Sequence[str]) -> Unit:
        """Give a source its number: by its path, and by the flags that it is compiled with."""
        import hashlib  # only relocatable code pays for loading it

        text = "\0".join((os.path.abspath(source), *args))  # noqa: PTH100 - a link is a source of its own
        return cls(source, hashlib.sha256(text.encode()).hexdigest()[:16])

    @property
    def flags(self) -> tuple[str, ...]:
        """The flags of cc1 for relocatable code."""
        return ("-fgpu-rdc", f"-cuid={self.number}", "-D__MUSACC_RDC__=1")

    @property
    def link_symbol(self) -> str:
        """The name of the function that the device link writes for the source."""
        name = "".join(each if each.isascii() and each.isalnum() else "_" for each in Path(self.source).name)
        return f"{LINK_PREFIX}{name}_{self.number}"


class RelocatableMaker(NamedTuple):
    """Makes the record of one source."""

    sdk: Sdk
    commands: Commands
    cc1: Cc1
    scratch: Path
    level: str
    checks: int
    driver_args: Sequence[str]

    def record(self, unit: Unit, modules: Modules) -> RelocatableCode:
        """Return the record."""
        ready = {module: as_relocatable(module) for module in modules.device.values()}
        arch_of = {module: arch for arch, module in modules.device.items()}
        bitcode = {module: self._bitcode(arch_of[module], each) for module, each in ready.items()}
        return RelocatableCode(
            source=unit.source,
            link_symbol=unit.link_symbol,
            writer=self.sdk.toolchain.clang_version,
            level=self.level,
            checks=self.checks,
            has_debug_info=arguments.has_debug_info(self.cc1),
            cpu=self.cc1.cpu_number,
            driver_args=tuple(_of_code_generation(self.driver_args)),
            kernels=tuple(_with_sizes(stub, modules.sizes) for stub in modules.stubs),
            managed=tuple(sorted(set[str]().union(*map(managed_by_host, ready.values())))),
            symbols={arch: Symbols(*map(tuple, shared_names(ready[each]))) for arch, each in modules.device.items()},
            bitcode={arch: bitcode[module] for arch, module in modules.device.items()},
        )

    def _bitcode(self, arch: str, module: Module) -> bytes:
        llvm = LlvmTools(self.commands, self.cc1, arguments.device_backend_args(self.cc1), arch, self.scratch)
        if " asm " in module.text:
            llvm.compile(module, "-disable-llvm-passes")  # for its errors: the device link has no source to name
        return llvm.bitcode(module)


def _with_sizes(stub: KernelStub, sizes: Mapping[str, int]) -> KernelStub:
    """Return the stub with bytes for types: a type's name may mean another one in another module."""
    types = (f"[{sizes[kind]} x i8]" if kind in sizes else "" for kind in stub.parameter_types)
    return stub._replace(parameter_types=tuple(types))


def _of_code_generation(args: Sequence[str]) -> list[str]:
    """Return the flags of clang's driver that matter for IR: the CPU, and where headers lie that are not the user's."""
    kept = [arg for arg in args if arg.startswith("-m")]
    for flag, value in zip(args, args[1:]):
        kept += [flag, value] if flag in ("-isystem", "-idirafter") else []
    return kept
