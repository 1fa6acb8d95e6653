"""Run clang's optimiser and back end on the IR of one architecture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from .clang import arguments
from .clang.cc1 import Cc1
from .commands import IR_ENCODING, Commands
from .errors import CompileFailed
from .ir.module import Module


class LlvmTools(NamedTuple):
    """Runs clang on the IR of one architecture; files lie in `scratch`."""

    commands: Commands
    cc1: Cc1
    args: Sequence[str]
    arch: str
    scratch: Path

    def optimise(self, module: Module, name: str) -> Module:
        """Optimise a module; `name` tells the runs apart."""
        return self._emit_llvm(self._for_more_passes, module, name)

    def clean(self, module: Module, name: str) -> Module:
        """Optimise what was made of optimised code: -O1 is enough, with vectors of neighbouring threads as before."""
        args = ["-O1" if arg in ("-O2", "-O3") else arg for arg in self._for_more_passes]
        return self._emit_llvm(args, module, name)

    def inline(self, module: Module) -> Module:
        """Inline the functions that are marked alwaysinline, and no others."""
        return self._emit_llvm(arguments.with_optimisation(self.args, "-O0"), module, "inlined")

    def fold(self, module: Module) -> Module:
        """Replace constant expressions by their values. A sanitizer would put its padding around them."""
        args = arguments.with_optimisation(arguments.without_host_runtimes(arguments.backend_args(self.cc1)), "-O1")
        return self._emit_llvm(args, module, "sizes")

    def split(self, module: Module) -> Module | None:
        """Split a module's coroutines, and do no more (passes/split_coroutine.py); None if LLVM refuses."""
        try:
            return self._emit_llvm(arguments.with_optimisation(self.args, "-O0"), module, "split")
        except CompileFailed as refused:
            # a kernel that LLVM cannot cut is slow, not wrong
            self.commands.reporter.note(f"kernels keep their fibers: {refused.diagnostics}")
            return None

    def bitcode(self, module: Module) -> bytes:
        """Return a module as LLVM's bitcode, unchanged."""
        args = [*self.args, "-disable-llvm-passes", "-emit-llvm-bc"]
        return self._run(args, module, f"{self.arch}.relocatable", ".bc").read_bytes()

    def link(self, bitcode: Sequence[bytes]) -> Module:
        """Return the modules as one, unchanged."""
        files = [self.scratch / f"{self.arch}.{at}.bc" for at in range(len(bitcode))]
        for path, code in zip(files, bitcode):
            path.write_bytes(code)
        output = self.scratch / f"{self.arch}.linked.ll"
        others = [word for path in files[1:] for word in ("-mlink-bitcode-file", str(path))]
        args = [*self.args, "-disable-llvm-passes", "-emit-llvm", *others]
        self.commands.run(self.cc1.command(args, "ir", str(files[0]), str(output)), target=self.arch)
        return Module.parse(output.read_text(encoding=IR_ENCODING))

    def compile(self, module: Module, *flags: str) -> Path:
        """Compile a module to an object file."""
        return self._run([*self.args, *flags, "-emit-obj"], module, f"{self.arch}.object", ".o")

    def assemble(self, module: Module, *flags: str) -> Path:
        """Compile a module to assembly."""
        return self._run([*self.args, *flags, "-S"], module, f"{self.arch}.assembly", ".s")

    @property
    def _for_more_passes(self) -> list[str]:
        # a thread's own pairs as vectors would keep the loop over threads from becoming vectors
        return [arg for arg in self.args if arg != "-vectorize-slp"]

    def _emit_llvm(self, args: Sequence[str], module: Module, name: str) -> Module:
        output = self._run([*args, "-emit-llvm"], module, f"{self.arch}.{name}", ".ll")
        return Module.parse(output.read_text(encoding=IR_ENCODING))

    def _run(self, args: Sequence[str], module: Module, name: str, suffix: str) -> Path:
        source, output = self.scratch / f"{name}.input.ll", self.scratch / f"{name}{suffix}"
        source.write_text(module.text, encoding=IR_ENCODING)
        self.commands.run(self.cc1.command(args, "ir", str(source), str(output)), target="host")
        return output
