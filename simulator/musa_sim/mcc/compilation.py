"""One source file, from text to object: the passes in order.

        +- device pass per architecture -> IR (front_end) -> passes, optimiser -> image (device_image) --+
source -+                                                                                                +-> object
        +- host pass -> IR (front_end) -> kernel stubs tell how arguments are packed --------------------+
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from .clang import arguments, cc1
from .command_line.invocation import Invocation, Stage
from .commands import Commands, write_output
from .front_end import FrontEnd
from .llvm_tools import LlvmTools

if TYPE_CHECKING:
    from .ir.module import Module
    from .passes.launches import Modules
    from .relocatable.make import Unit
    from .sdk import Sdk


#: the variable that names distcc, or a program that is called like it (distributed.py)
DISTCC = "MUSA_SIM_DISTCC"


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
        headers = [] if source.endswith((".i", ".ii")) else ["-idirafter", self.sdk.include]
        self.commands.run(
            [
                *(*cc1.driver_command(self.sdk.toolchain), *_colour()),
                *(*self.invocation.compile_args, *headers),
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
        if self.invocation.is_instrumented:
            args.append("-D__MUSA_SIM_CHECKED__")
            # a report names the line
            args += [] if arguments.asks_for_debug_info(args) else ["-gline-tables-only"]
        command, said = cc1.ask_driver(
            self.sdk.toolchain, [arg for arg in args if arg != "-emit-llvm"], action, source, output or "-"
        )
        self.commands.reporter.say(said)
        unit = None
        if self.invocation.is_relocatable:
            from .relocatable.make import Unit

            unit = Unit.of(source, self.invocation.compile_args)
            command = command._replace(args=(*unit.flags, *command.args))
        front_end = FrontEnd(
            *(self.sdk, self.commands, self.scratch, command, source),
            *(self.invocation.archs, self._device_optimisation()),
            device_only=self.invocation.device_only,
        )
        if stage in (Stage.PREPROCESS, Stage.DEPENDENCIES):
            front_end.preprocess(device_only=self.invocation.device_only, output=output)
        elif stage is Stage.SYNTAX:
            front_end.check_syntax()
        elif "-emit-llvm" in args:
            front_end.device_llvm(output)
        elif os.environ.get(DISTCC) and stage in (Stage.OBJECT, Stage.LINK) and not self.invocation.device_only:
            self._elsewhere(os.environ[DISTCC], front_end, unit, output)
        else:
            self._object(front_end, unit, output)

    def texts(self, path: str, output: str) -> None:
        """Compile a source that another machine has preprocessed."""
        from .distributed import Texts, compiler_identity
        from .relocatable.make import Unit

        texts = Texts.decode(Path(path).read_bytes(), compiler_identity(self.sdk))
        command = texts.cc1_on(self.sdk, cc1.program(self.sdk.toolchain))
        archs = tuple(texts.same)
        front_end = FrontEnd(self.sdk, self.commands, self.scratch, command, texts.source, archs, texts.level, texts)
        front_end.write_texts()
        invocation = self.invocation._replace(
            archs=archs,
            checks=texts.checks,
            is_relocatable=bool(texts.unit),
            compile_args=texts.driver_args,
        )
        own = self._replace(invocation=invocation)
        own._object(front_end, Unit(texts.source, texts.unit) if texts.unit else None, output)

    def _elsewhere(self, program: str, front_end: FrontEnd, unit: Unit | None, output: str) -> None:
        """Have another machine compile the source, or else compile it here."""
        from .distributed import Texts, compile_elsewhere, compiler_identity

        same, texts = front_end.preprocess_all()
        sent = Texts(
            compiler=compiler_identity(self.sdk),
            source=front_end.source,
            cc1_args=tuple(front_end.cc1.without(arguments.DEPENDENCY_FLAGS)),
            device_cpu=front_end.cc1.device_cpu,
            level=front_end.level,
            same=same,
            checks=self.invocation.checks,
            unit=unit.number if unit else "",
            driver_args=self.invocation.compile_args,
            texts=texts,
        )
        said = compile_elsewhere(program, self.sdk, sent, output, self.commands, self.scratch)
        if said:
            self._object(front_end, unit, output)  # raises for a source with a mistake
            self.commands.reporter.say(f"{said}mcc: warning: {program} did not compile '{sent.source}'; done here")

    def _object(self, front_end: FrontEnd, unit: Unit | None, output: str) -> None:
        # imported here: the other stages do not need them
        from .host import musa_names
        from .passes.launches import reconcile

        device, host = front_end.modules()
        llvm = LlvmTools(self.commands, front_end.cc1, arguments.backend_args(front_end.cc1), "host", self.scratch)
        modules = reconcile(host, device, llvm.fold, with_host=not self.invocation.device_only)
        if "__cuda_fatbin_wrapper" not in host.variables and not self.invocation.device_only:
            self._write(llvm, musa_names(modules.host), output)
        elif unit and self.invocation.device_only and not self._is_text:
            write_output(output, self._record(front_end, unit, modules))
        elif unit and not self.invocation.device_only:
            self._write(llvm, self._relocatable(front_end, unit, modules), output)
        else:
            self._with_images(front_end, modules, llvm, output)

    def _with_images(self, front_end: FrontEnd, modules: Modules, llvm: LlvmTools, output: str) -> None:
        """Write an object with finished images, or an image alone."""
        from .device_image import DeviceImages
        from .host import embed, embed_file
        from .image.link import pack

        is_device_text = self._is_text and self.invocation.device_only
        maker = DeviceImages(
            *(self.sdk, self.commands, front_end.cc1, self.scratch, front_end.level, self.invocation.is_instrumented),
            is_text=is_device_text,
        )
        has_device_code = "__cuda_fatbin_wrapper" in modules.host.variables
        with front_end.naming_assembly():
            built = maker.build(modules.device, modules.stubs, modules.sizes) if has_device_code else {}
        if is_device_text:
            write_output(output, next(iter(built.values()), b""))
            return
        blob = pack(built, self.invocation.check_bits, front_end.cc1.cpu_number)
        if self.invocation.device_only:
            write_output(output, blob)
        elif self._is_text:
            self._write(llvm, embed(modules.host, blob), output)
        else:
            images = self.scratch / "images"
            images.write_bytes(blob)
            self._write(llvm, embed_file(modules.host, images), output)

    def _relocatable(self, front_end: FrontEnd, unit: Unit, modules: Modules) -> Module:
        """Return the host module with the device code for a later device link."""
        from .relocatable.host_module import ask_for_device_link, with_record, with_record_file

        record = self._record(front_end, unit, modules)
        host = ask_for_device_link(modules.host, unit.link_symbol)
        if self._is_text:
            return with_record(host, record)
        file = self.scratch / "record"
        file.write_bytes(record)
        return with_record_file(host, file)

    def _record(self, front_end: FrontEnd, unit: Unit, modules: Modules) -> bytes:
        """Return the device code for a device link."""
        from .relocatable.make import RelocatableMaker

        front_end.refuse_device_launches(modules.device.values())
        checks, args = self.invocation.check_bits, self.invocation.compile_args
        maker = RelocatableMaker(self.sdk, self.commands, front_end.cc1, self.scratch, front_end.level, checks, args)
        with front_end.naming_assembly():
            return maker.record(unit, modules).encode()

    @property
    def _is_text(self) -> bool:
        return self.invocation.stage is Stage.ASSEMBLY

    def _write(self, llvm: LlvmTools, host: Module, output: str) -> None:
        compiled = llvm.assemble(host) if self._is_text else llvm.compile(host)
        write_output(output, compiled.read_bytes())

    def _device_optimisation(self) -> str:
        """Return -Od, else the user's -O, else -O2: on a CPU only a debugger needs unoptimised kernels."""
        if self.invocation.device_opt:
            return f"-O{self.invocation.device_opt}"
        given = arguments.last_optimisation(self.invocation.compile_args)
        return given or ("-O0" if "-g" in self.invocation.compile_args else "-O2")


def _colour() -> list[str]:
    return ["-fcolor-diagnostics"] if sys.stderr.isatty() else []
