"""Make an ELF image from a device module as clang's front end writes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from .clang import arguments
from .command_line.invocation import ARCHITECTURES
from .commands import Commands, two_at_a_time
from .image.link import link_image
from .ir.function import WIDE
from .llvm_tools import LlvmTools
from .passes.block_functions import with_block_functions
from .passes.complete import complete, refuse_overflow, static_shared
from .passes.optimise import Options, finish, optimise
from .passes.prepare import prepare

if TYPE_CHECKING:
    from .clang.cc1 import Cc1
    from .ir.module import Module
    from .kernel import KernelStub
    from .sdk import Sdk


#: The linker leaves out what no kernel reaches.
_SECTIONS = ("-ffunction-sections", "-fdata-sections")

#: Loops begin at multiples of 32 bytes, the unit that x86 processors decode. Otherwise their speed depends on the code
#: before them: the same instructions of cub::BlockReduce took 15 % longer (benchmarks/simulator.py).
_ALIGNED_LOOPS = "-falign-loops=32"


class DeviceImages(NamedTuple):
    """Makes the images of one source, or of the sources of a device link."""

    sdk: Sdk
    commands: Commands
    cc1: Cc1
    scratch: Path
    level: str  # of optimisation
    is_instrumented: bool
    #: in a device link: the objects that want each name that their device code does not define
    objects: Mapping[str, Sequence[str]] | None = None
    is_text: bool = False  # assembly in place of an image

    def build(
        self, modules: Mapping[str, Module], stubs: Sequence[KernelStub], sizes: Mapping[str, int]
    ) -> dict[str, bytes]:
        """Return the image of each architecture. Architectures with the same module share one."""
        distinct: dict[str, list[str]] = {}
        for arch, module in modules.items():
            distinct.setdefault(module.text, []).append(arch)
        built = two_at_a_time(
            {archs[0]: partial(self._image, archs[0], modules[archs[0]], stubs, sizes) for archs in distinct.values()}
        )
        return {arch: built[archs[0]] for archs in distinct.values() for arch in archs}

    def _image(self, arch: str, fresh: Module, stubs: Sequence[KernelStub], sizes: Mapping[str, int]) -> bytes:
        """Run the passes, in order (passes/__init__.py): each takes a module and leaves another one."""
        llvm = LlvmTools(
            self.commands, self.cc1, arguments.limit_work(self._backend_args(), fresh.size), arch, self.scratch
        )
        options = self._options(fresh.size)
        # needs a module fresh from clang; leaves it without undefined results, threadIdx and the like opaque
        device = prepare(fresh, stubs)
        # needs a prepared module; leaves accesses of vector types whole
        whole = self._with_whole_accesses(device.ir, [kernel.name for kernel in device.kernels])
        # needs a prepared module; leaves an optimised one, in which loops that wait call the scheduler
        module = optimise(whole, options, llvm)
        if options.has_block_functions:
            # needs an optimised module, which tells what a kernel calls; adds plain loops and split kernels
            split = llvm.split if options.has_coroutines else None
            module = with_block_functions(module, device.kernels, self.sdk.toolchain.clang_major, split)
        # needs the functions that a kernel reaches; leaves the module, unless a kernel has too much shared memory
        shared_bytes = static_shared(module, device.kernels, llvm.fold)
        refuse_overflow(shared_bytes, ARCHITECTURES[arch].static_shared_limit, arch)
        # needs opaque accessors; leaves their bodies, entries and tables for libmusart, and the calls of checked builds
        libraries = arguments.library_directories(self.cc1, self.sdk.include) if self.is_instrumented else None
        module = complete(module, device, shared_bytes=shared_bytes, sizes=sizes, library_directories=libraries)
        # needs a complete module; leaves it optimised where it is large, and the flags for that
        module, flags = finish(module, device.kernels, options, llvm)
        if self.is_text:
            return llvm.assemble(module, *flags).read_bytes()
        return link_image(
            self.sdk,
            self.commands,
            llvm.compile(module, *flags, *_SECTIONS),
            variables=device.variables,
            elsewhere=device.defined_by_host,
            module=fresh,
            arch=arch,
            objects=self.objects,
        )

    def _with_whole_accesses(self, module: Module, kernels: Sequence[str]) -> Module:
        if not module.has(WIDE):
            return module
        from .passes.atomic_accesses import with_whole_accesses  # small sources have none

        return with_whole_accesses(module, kernels, arguments.widest_access(self.cc1))

    def _backend_args(self) -> list[str]:
        given = [_ALIGNED_LOOPS, *arguments.device_backend_args(self.cc1)]  # the user's own flag comes later and wins
        args = arguments.with_optimisation(given, self.level)
        # in a checked build one access stays one access: nothing is vectorised
        return [arg for arg in args if not arg.startswith("-vectorize-")] if self.is_instrumented else args

    def _options(self, size: int) -> Options:
        return Options(
            has_coroutines=not arguments.is_huge(size),
            has_block_functions=not (self.is_instrumented or self.level == "-O0" or arguments.has_debug_info(self.cc1)),
            is_instrumented=self.is_instrumented,
        )
