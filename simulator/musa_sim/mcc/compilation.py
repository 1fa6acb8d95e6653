"""One source file, from text to object: the passes in order.

        +- device pass per architecture -> IR (front_end) -> passes, optimiser -> image (device_image) --+
source -+                                                                                                +-> object
        +- host pass -> IR (front_end) -> kernel stubs tell how arguments are packed --------------------+
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from .backend import Backend
from .clang import arguments, cc1
from .command_line.invocation import Invocation, Stage
from .commands import Commands, write_output
from .front_end import FrontEnd

if TYPE_CHECKING:
    from .sdk import Sdk


class Compilation(NamedTuple):
    """The compilation of one source file; `scratch` is a directory that the caller removes."""

    sdk: Sdk
    invocation: Invocation
    commands: Commands
    scratch: Path

    def host(self, source: str, explicit_language: str, output: str) -> None:
        """Compile an ordinary C++ file: clang alone, with the SDK's headers in reach as in any MUSA SDK."""
        action = {Stage.LINK: "-c", Stage.DEPENDENCIES: ""}.get(self.invocation.stage, self.invocation.stage.value)
        # the driver runs as a C++ compiler, which takes C for C++
        given = explicit_language or ("c" if source.endswith(".c") else "")
        language = ["-x", given] if given else []
        self.commands.run(
            [
                *(*cc1.driver_command(self.sdk.toolchain), *_colour()),
                *(*self.invocation.compile_args, "-idirafter", self.sdk.include),
                *([action] if action else []),
                *(["-o", output, *arguments.writing_to(output)] if output else []),
                *(*language, source),
            ],
            target="host",
        )

    def musa(self, source: str, output: str) -> None:
        """Compile a MUSA source up to the invocation's stage; `output` empty means standard output."""
        stage = self.invocation.stage
        action = {Stage.PREPROCESS: "-E", Stage.DEPENDENCIES: "-E", Stage.SYNTAX: "-fsyntax-only"}.get(stage, "-c")
        # a device image is a shared object, so position independence is not the user's choice
        args = [*_colour(), *self.invocation.compile_args, "-fPIC"]
        if self.invocation.is_instrumented and not arguments.asks_for_debug_info(args):
            args.append("-gline-tables-only")  # a report names the line
        command, said = cc1.ask_driver(
            self.sdk.toolchain, [arg for arg in args if arg != "-emit-llvm"], action, source, output or "-"
        )
        self.commands.reporter.say(said)
        front_end = FrontEnd(
            self.sdk, self.commands, self.scratch, command, source, self.invocation.archs, self._device_optimisation()
        )
        if stage in (Stage.PREPROCESS, Stage.DEPENDENCIES):
            front_end.preprocess(device_only=self.invocation.device_only, output=output)
        elif stage is Stage.SYNTAX:
            front_end.check_syntax()
        elif "-emit-llvm" in args:
            front_end.device_llvm(output)
        else:
            self._object(front_end, output)

    def _object(self, front_end: FrontEnd, output: str) -> None:
        # imported here, as the other stages need nothing of them
        from .device_image import DeviceImages
        from .host import embed, embed_file, musa_names
        from .image.link import pack
        from .passes.launches import reconcile

        device, host = front_end.modules()
        backend = Backend(self.commands, front_end.cc1, arguments.backend_args(front_end.cc1), "host", self.scratch)
        modules = reconcile(host, device, backend.fold, with_host=not self.invocation.device_only)
        maker = DeviceImages(
            *(self.sdk, self.commands, front_end.cc1, self.scratch, front_end.level, self.invocation.is_instrumented)
        )
        has_device_code = "__cuda_fatbin_wrapper" in host.variables
        with front_end.naming_assembly():
            built = maker.build(modules.device, modules.stubs, modules.sizes) if has_device_code else {}
        blob = pack(built, self.invocation.check_bits, front_end.cc1.cpu_number)
        if self.invocation.device_only:
            write_output(output, blob)
            return
        if self.invocation.stage is Stage.ASSEMBLY:
            compiled = backend.assemble(embed(modules.host, blob) if built else musa_names(modules.host))
        else:
            images = self.scratch / "images"
            images.write_bytes(blob)
            compiled = backend.compile(embed_file(modules.host, images) if built else musa_names(modules.host))
        write_output(output, compiled.read_bytes())

    def _device_optimisation(self) -> str:
        """Choose -Od, then the user's -O, then -O2, since on a CPU only a debugger needs unoptimised kernels."""
        if self.invocation.device_opt:
            return f"-O{self.invocation.device_opt}"
        given = arguments.last_optimisation(self.invocation.compile_args)
        return given or ("-O0" if "-g" in self.invocation.compile_args else "-O2")


def _colour() -> list[str]:
    return ["-fcolor-diagnostics"] if sys.stderr.isatty() else []
