"""Make an ELF image from a device module as clang's front end writes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from .backend import Backend
from .clang import arguments
from .command_line.architectures import ARCHITECTURES
from .commands import Commands, two_at_a_time
from .image.link import link_image
from .passes import static_shared
from .passes.block_functions import with_block_functions
from .passes.complete import complete
from .passes.optimise import Form, finish, optimise
from .passes.prepare import prepare

if TYPE_CHECKING:
    from .clang.cc1 import Cc1
    from .kernel import KernelStub
    from .sdk import Sdk


#: The linker leaves out what no kernel reaches.
_SECTIONS = ("-ffunction-sections", "-fdata-sections")


class DeviceImages(NamedTuple):
    """Makes the images of one source."""

    sdk: Sdk
    commands: Commands
    cc1: Cc1
    scratch: Path
    level: str  # of optimisation
    is_instrumented: bool

    def build(
        self, modules: Mapping[str, str], stubs: Sequence[KernelStub], sizes: Mapping[str, int]
    ) -> dict[str, bytes]:
        """Return the image of each architecture; those whose IR came out the same share one."""
        distinct: dict[str, list[str]] = {}
        for arch, module in modules.items():
            distinct.setdefault(module, []).append(arch)
        built = two_at_a_time(
            {archs[0]: partial(self._image, archs[0], module, stubs, sizes) for module, archs in distinct.items()}
        )
        return {arch: built[archs[0]] for archs in distinct.values() for arch in archs}

    def _image(self, arch: str, module_ir: str, stubs: Sequence[KernelStub], sizes: Mapping[str, int]) -> bytes:
        args = arguments.limit_work(self._backend_args(), len(module_ir))
        llvm = Backend(self.commands, self.cc1, args, arch, self.scratch)
        module = prepare(module_ir, stubs)
        form = self._form(len(module_ir))
        ir = optimise(module.ir, form, llvm)
        if form.has_block_functions:
            # they are made of optimised code: what a kernel calls is then known, not guessed
            split = llvm.split if form.has_coroutines else None
            ir = with_block_functions(ir, module.kernels, self.sdk.toolchain.clang_major, split)
        shared_bytes = static_shared.static_shared(ir, module.kernels, llvm.fold)
        static_shared.refuse_overflow(shared_bytes, ARCHITECTURES[arch].static_shared_limit, arch)
        libraries = arguments.library_directories(self.cc1, self.sdk.include) if self.is_instrumented else None
        ir = complete(ir, module, shared_bytes=shared_bytes, sizes=sizes, library_directories=libraries)
        return link_image(
            self.sdk,
            self.commands,
            llvm.compile(*finish(ir, module.kernels, form, llvm), *_SECTIONS),
            variables=module.variables,
            elsewhere=module.defined_by_host,
            module=module_ir,
            arch=arch,
        )

    def _backend_args(self) -> list[str]:
        args = arguments.with_optimisation(arguments.device_backend_args(self.cc1), self.level)
        # in a checked build one access stays one access: nothing is vectorised
        return [arg for arg in args if not arg.startswith("-vectorize-")] if self.is_instrumented else args

    def _form(self, size: int) -> Form:
        return Form(
            has_coroutines=not arguments.is_huge(size),
            has_block_functions=not (self.is_instrumented or self.level == "-O0" or arguments.has_debug_info(self.cc1)),
            is_instrumented=self.is_instrumented,
        )
