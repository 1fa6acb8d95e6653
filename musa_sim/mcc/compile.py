"""One source file, from text to object: the passes in order.

        +- device pass per architecture -> IR -> surgery -> optimise -> thread loops -> image --+
source -+                                                                                       +-> fat binary
        +- host pass -> IR -> (kernel stubs tell how arguments are packed) ---------------------+-> object
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from . import (
    block_drivers,
    coroutines,
    device_ir,
    frontend,
    host_stubs,
    image,
    instrument,
    launch_bounds,
    managed,
    static_shared,
    thread_loop,
    unresolved,
    waiting,
)
from .command_line import ARCHITECTURES, Invocation, Stage
from .dependencies import merge_dependency_files
from .device_ir import Kernel
from .errors import CompileFailed, DriverError
from .frontend import Cc1
from .host_stubs import KernelStub
from .toolchain import Toolchain
from .type_sizes import type_sizes

# LLVM prints names as bytes; latin-1 keeps every byte as it is.
_IR_ENCODING = "latin-1"


@dataclass(frozen=True)
class Sdk:
    """The SDK root that this mcc belongs to."""

    root: Path
    toolchain: Toolchain

    @property
    def include(self) -> str:
        return str(self.root / "include")

    @property
    def library(self) -> str:
        return str(self.root / "lib")


@dataclass(frozen=True)
class Reporter:
    """Where words to the user go."""

    verbose: bool = False

    def command(self, words: Sequence[str]) -> None:
        if self.verbose:
            print(" " + " ".join(f'"{word}"' for word in words), file=sys.stderr)

    def note(self, text: str) -> None:
        if self.verbose:
            self.say(f"mcc: note: {text}")

    def say(self, text: str) -> None:
        if text:
            sys.stderr.write(text if text.endswith("\n") else text + "\n")


class Compilation:
    """The compilation of one source file; `scratch` is a directory that the caller removes."""

    def __init__(self, sdk: Sdk, invocation: Invocation, reporter: Reporter, scratch: Path) -> None:
        self._sdk = sdk
        self._invocation = invocation
        self._reporter = reporter
        self._scratch = scratch

    # --- the two kinds of input

    def host(self, source: str, explicit_language: str, output: str) -> None:
        """An ordinary C++ file: clang alone, with the SDK's headers in reach as in any MUSA SDK."""
        action = {Stage.LINK: "-c", Stage.DEPENDENCIES: ""}.get(self._invocation.stage, self._invocation.stage.value)
        # the driver is told to be a C++ compiler, which takes C for C++
        given = explicit_language or ("c" if source.endswith(".c") else "")
        language = ["-x", given] if given else []
        self._run(
            [
                *(*frontend.driver_command(self._sdk.toolchain), *self._colour()),
                *(*self._invocation.compile_args, "-idirafter", self._sdk.include),
                *([action] if action else []),
                *(["-o", output] if output else []),
                *(*language, source),
            ],
            target="host",
        )

    def musa(self, source: str, output: str) -> None:
        """A MUSA source up to the invocation's stage; `output` empty means standard output."""
        stage = self._invocation.stage
        action = {Stage.PREPROCESS: "-E", Stage.DEPENDENCIES: "-E", Stage.SYNTAX: "-fsyntax-only"}.get(stage, "-c")
        # a device image is a shared object, so position independence is not the user's choice
        args = [*self._colour(), *self._invocation.compile_args, "-fPIC"]
        if self._instrumented and not any(re.fullmatch(r"-g(?!0)[\w-]*", arg) for arg in args):
            args.append("-gline-tables-only")  # a report names the line
        emit_llvm = "-emit-llvm" in args
        cc1, said = frontend.ask_driver(
            self._sdk.toolchain, [arg for arg in args if arg != "-emit-llvm"], action, source, output or "-"
        )
        self._reporter.say(said)
        if stage in (Stage.PREPROCESS, Stage.DEPENDENCIES):
            self._preprocess(cc1, source, output)
        elif stage is Stage.SYNTAX:
            self._front_end(cc1, source, emit=False)
        elif emit_llvm:
            self._device_llvm(cc1, source, output)
        else:
            self._object(cc1, source, output)

    # --- stages

    def _preprocess(self, cc1: Cc1, source: str, output: str) -> None:
        if self._invocation.device_only:
            args = frontend.device_pass(cc1, self._sdk.include, self._invocation.archs[0], "-")
        else:
            args = frontend.host_pass(cc1, self._sdk.include, self._placeholder())
        command = cc1.command(args, "cuda", source, output or "-")
        self._reporter.command(command)
        run = subprocess.run(command, stderr=subprocess.PIPE, text=True, errors="replace", check=False)
        self._finish(run.returncode, run.stderr, "host")

    def _device_llvm(self, cc1: Cc1, source: str, output: str) -> None:
        if not self._invocation.device_only or self._invocation.stage is not Stage.ASSEMBLY:
            raise DriverError("'-emit-llvm' is only simulated together with '--cuda-device-only -S'")
        modules, _ = self._front_end(cc1, source, emit=True)
        _replace(output, next(iter(modules.values())).encode(_IR_ENCODING))

    def _object(self, cc1: Cc1, source: str, output: str) -> None:
        modules, host = self._front_end(cc1, source, emit=True)
        stubs = host_stubs.read_kernels(host)
        kinds = [kind for stub in stubs for kind in stub.parameter_types if kind]
        sizes = type_sizes(host, kinds, lambda query: self._fold(cc1, query, "host"))
        has_device_code = "@__cuda_fatbin_wrapper" in host
        modules = {arch: device_ir.give_each_thread_its_own(module, stubs) for arch, module in modules.items()}
        host, modules = managed.share(host, modules, with_host=not self._invocation.device_only)
        images = self._images(cc1, modules, stubs, sizes) if has_device_code else {}
        blob = image.pack(images, instrument.check_bits(self._invocation.checks) if self._instrumented else 0)
        if self._invocation.device_only:
            _replace(output, blob)
            return
        host = image.embed(host, blob) if images else image.musa_names(host)
        host_file = self._scratch / "host.ll"
        host_file.write_text(host, encoding=_IR_ENCODING)
        emit = "-S" if self._invocation.stage is Stage.ASSEMBLY else "-emit-obj"
        built = self._scratch / "host.out"
        self._cc1(cc1, [*frontend.backend_args(cc1), emit], str(host_file), str(built))
        _replace(output, built.read_bytes())

    # --- passes

    def _front_end(self, cc1: Cc1, source: str, emit: bool) -> tuple[dict[str, str], str]:
        """All front-end passes, two at a time: ({architecture: device IR}, host IR).

        A failure is reported for the device first: its text is the one that mcc users know, and the host pass mostly
        says the same again.
        """
        emit_args = ["-emit-llvm", "-disable-llvm-passes"] if emit else []
        same = self._same_text(cc1, source)
        device_files = {arch: self._scratch / f"{arch}.front.ll" for arch in dict.fromkeys(same.values())}
        device_deps = {arch: self._scratch / f"{arch}.d" for arch in device_files}
        host_file = self._scratch / "host.front.ll"

        def device(arch: str) -> Callable[[], subprocess.CompletedProcess[str]]:
            args = frontend.device_pass(cc1, self._sdk.include, arch, str(device_deps[arch]))
            args = frontend.with_optimisation(args, self._device_optimisation())
            command = cc1.command([*args, *emit_args], "cuda", source, str(device_files[arch]))
            return lambda: self._capture(command)

        host_args = frontend.host_pass(cc1, self._sdk.include, self._placeholder())
        host_command = cc1.command([*host_args, *emit_args], "cuda", source, str(host_file))
        passes = {**{arch: device(arch) for arch in device_files}, "host": lambda: self._capture(host_command)}
        with ThreadPoolExecutor(max_workers=2) as pool:
            running = {target: pool.submit(run) for target, run in passes.items()}
            done = {target: future.result() for target, future in running.items()}
        for target, run in done.items():
            if run.returncode:
                self._finish(run.returncode, run.stderr, target)
        self._report_warnings({target: run.stderr for target, run in done.items()})
        self._merge_dependencies(cc1, [path for path in device_deps.values() if path.exists()])
        if not emit:
            return {}, ""
        read = {arch: path.read_text(encoding=_IR_ENCODING) for arch, path in device_files.items()}
        modules = {arch: read[other] for arch, other in same.items()}
        return modules, host_file.read_text(encoding=_IR_ENCODING)

    def _same_text(self, cc1: Cc1, source: str) -> dict[str, str]:
        """{architecture: the first one that sees the same source after preprocessing}.

        Most sources never ask for __MUSA_ARCH__. Preprocessing tells in a tenth of the time that parsing torch's
        headers takes, and every further architecture is then free.
        """
        archs = self._invocation.archs
        if len(archs) == 1:
            return {archs[0]: archs[0]}

        def digest(arch: str) -> str:
            args = Cc1(cc1.program, tuple(frontend.device_pass(cc1, self._sdk.include, arch, ""))).without(
                {"-dependency-file": 2, "-emit-obj": 1}
            )
            run = subprocess.run([*cc1.command([*args, "-E"], "cuda", source, "-")], capture_output=True, check=False)
            return hashlib.sha256(run.stdout).hexdigest() if run.returncode == 0 else arch

        with ThreadPoolExecutor(max_workers=2) as pool:
            digests = dict(zip(archs, pool.map(digest, archs)))
        first = {text: arch for arch, text in reversed(list(digests.items()))}
        return {arch: first[text] for arch, text in digests.items()}

    def _images(
        self, cc1: Cc1, modules: dict[str, str], stubs: Sequence[KernelStub], sizes: Mapping[str, int]
    ) -> dict[str, bytes]:
        """Device modules to ELF images; architectures whose IR came out the same share one build."""
        distinct: dict[str, list[str]] = {}
        for arch, module in modules.items():
            distinct.setdefault(module, []).append(arch)
        with ThreadPoolExecutor(max_workers=2) as pool:
            builds = {
                archs[0]: pool.submit(self._image, cc1, archs[0], module, stubs, sizes)
                for module, archs in distinct.items()
            }
            built = {arch: future.result() for arch, future in builds.items()}
        return {arch: built[archs[0]] for archs in distinct.values() for arch in archs}

    def _image(self, cc1: Cc1, arch: str, module: str, stubs: Sequence[KernelStub], sizes: Mapping[str, int]) -> bytes:
        kernels = device_ir.find_kernels(module, stubs)
        ir = device_ir.prepare(module)
        variables = device_ir.device_variables(ir)
        bounds = launch_bounds.read(module)
        level = self._device_optimisation()
        args = frontend.with_optimisation(frontend.backend_args(cc1), level)
        if self._instrumented:
            # one access stays one access: nothing is vectorised
            args = [arg for arg in args if not arg.startswith("-vectorize-")]
            ir = instrument.mark(ir)
            ir = self._stage(cc1, [*args, "-emit-llvm"], ir, arch, "optimised.ll").decode(_IR_ENCODING)
            ir = waiting.yields(ir, optimised=True)
        elif level != "-O0" and not self._debug(cc1):
            # the loops are made of optimised code: what a kernel calls is then known, not guessed
            optimised = self._stage(cc1, [*args, "-emit-llvm"], ir, arch, "optimised.ll").decode(_IR_ENCODING)
            optimised = waiting.yields(optimised, optimised=True)
            ir = self._with_thread_loops(cc1, args, optimised, kernels, arch)
        elif waiting.may_wait(ir):
            # what the SDK's headers have inlined must be seen
            inlined = [*frontend.with_optimisation(args, "-O0"), "-emit-llvm"]
            ir = self._stage(cc1, inlined, ir, arch, "inlined.ll").decode(_IR_ENCODING)
            ir = waiting.yields(ir, optimised=False)
        shared = static_shared.static_shared(ir, kernels, lambda query: self._fold(cc1, query, arch))
        too_much = static_shared.overflows(shared, ARCHITECTURES[arch].static_shared_limit)
        if too_much:
            count = too_much.count("\n")
            errors = f"{count} error{'s' if count > 1 else ''} generated when compiling for {arch}.\n"
            raise CompileFailed(too_much + errors)
        if self._instrumented:
            shared_variables = static_shared.variables_of(ir, kernels, through_pointers=True)
            ir = instrument.instrument(ir, shared_variables, frontend.library_directories(cc1, self._sdk.include))
        ir = device_ir.define_accessors(ir) + "".join(
            [
                *map(device_ir.entry, kernels),
                *(device_ir.argument_sizes(kernel, sizes) for kernel in kernels),
                static_shared.definitions(shared),
                launch_bounds.definitions(bounds),
            ]
        )
        object_file = self._scratch / f"{arch}.o"
        sections = ("-ffunction-sections", "-fdata-sections")  # the linker leaves out what no kernel reaches
        object_file.write_bytes(self._stage(cc1, [*args, *sections, "-emit-obj"], ir, arch, "object.o"))
        script = self._scratch / f"{arch}.version"
        script.write_text(device_ir.version_script(variables))
        linked = self._scratch / f"{arch}.so"
        self._link_image(object_file, script, linked, module, arch)
        return linked.read_bytes()

    def _link_image(self, object_file: Path, script: Path, linked: Path, module: str, arch: str) -> None:
        """Raises CompileFailed when the image uses what nobody defines; what no kernel reaches is left out before."""
        command = [
            *(self._sdk.toolchain.linker, "-shared", "-Bsymbolic", "--build-id=none", "-z", "nodelete"),
            *("--gc-sections", "-z", "defs", "--warn-unresolved-symbols", "--no-demangle"),
            *("--version-script", str(script), "-o", str(linked), str(object_file)),
            f"{self._sdk.library}/libmusart.so",
            # by name and version: an unversioned expf would bind to glibc's oldest, which is half as fast
            *("-lm", "-lc"),
        ]
        run = self._capture(command, {**os.environ, "LC_ALL": "C"})
        missing = unresolved.names(run.stderr, managed.declared(module))
        if missing:
            raise CompileFailed(unresolved.diagnostics(missing, module, arch, self._sdk.toolchain.linker))
        self._finish(run.returncode, run.stdout + unresolved.without_references(run.stderr), arch)

    def _with_thread_loops(self, cc1: Cc1, args: Sequence[str], ir: str, kernels: Sequence[Kernel], arch: str) -> str:
        """The optimised module, with a function that runs a whole block for every kernel that needs no fibers."""
        major = int(self._sdk.toolchain.clang_version.split(".")[0])
        added, taken = coroutines.coroutines(ir, kernels, major)
        cut: frozenset[str] = frozenset()
        if taken:
            whole = device_ir.declare_context(ir + added)
            try:
                split = self._stage(cc1, [*args, "-emit-llvm"], whole, arch, "split.ll").decode(_IR_ENCODING)
            except CompileFailed as refused:
                # a kernel that LLVM cannot cut is slow, not wrong
                self._reporter.note(f"kernels keep their fibers: {refused.diagnostics}")
            else:
                ir, cut = block_drivers.block_drivers(split, taken)
        return ir + thread_loop.thread_loops(ir, [kernel for kernel in kernels if kernel.name not in cut])

    def _fold(self, cc1: Cc1, query: str, arch: str) -> str:
        args = frontend.with_optimisation(frontend.backend_args(cc1), "-O1")
        return self._stage(cc1, [*args, "-emit-llvm"], query, arch, "sizes.ll").decode(_IR_ENCODING)

    def _stage(self, cc1: Cc1, args: Sequence[str], ir: str, arch: str, name: str) -> bytes:
        source, output = self._scratch / f"{arch}.to-{name}.ll", self._scratch / f"{arch}.{name}"
        source.write_text(ir, encoding=_IR_ENCODING)
        self._cc1(cc1, args, str(source), str(output))
        return output.read_bytes()

    # --- details

    def _device_optimisation(self) -> str:
        """-Od wins, then the user's -O; without either -O2, since unoptimised kernels on a CPU help nobody but -g."""
        if self._invocation.device_opt:
            return f"-O{self._invocation.device_opt}"
        given = [arg for arg in self._invocation.compile_args if re.fullmatch(r"-O\w*", arg)]
        if given:
            return {"-O": "-O1"}.get(given[-1], given[-1])
        return "-O0" if "-g" in self._invocation.compile_args else "-O2"

    @property
    def _instrumented(self) -> bool:
        return not instrument.INSTRUMENTED.isdisjoint(self._invocation.checks)

    @staticmethod
    def _debug(cc1: Cc1) -> bool:
        """With debug info, a report must name the right thread and line, so every thread gets its fiber."""
        return any(arg.startswith("-debug-info-kind=") for arg in cc1.args)

    @staticmethod
    def _colour() -> list[str]:
        return ["-fcolor-diagnostics"] if sys.stderr.isatty() else []

    def _placeholder(self) -> str:
        path = self._scratch / "placeholder"
        path.write_text(frontend.FATBIN_PLACEHOLDER)
        return str(path)

    def _merge_dependencies(self, cc1: Cc1, device_files: Sequence[Path]) -> None:
        """A header that only device code includes belongs into the depfile as well."""
        if "-dependency-file" in cc1.args:
            target = Path(cc1.args[cc1.args.index("-dependency-file") + 1])
            merged = merge_dependency_files([target.read_text(), *(path.read_text() for path in device_files)])
            _replace(str(target), merged.encode())

    def _report_warnings(self, said: dict[str, str]) -> None:
        shown: set[str] = set()
        for target, text in said.items():
            named = frontend.name_arch(text, target)
            diagnostics = named.rpartition("\n")[0].rpartition("\n")[0]  # all but the footer
            if diagnostics not in shown:
                self._reporter.say(named)
            shown.add(diagnostics)

    def _cc1(self, cc1: Cc1, args: Sequence[str], source: str, output: str) -> None:
        self._run(cc1.command(args, "ir", source, output), target="host")

    def _capture(
        self, command: Sequence[str], env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        self._reporter.command(command)
        return subprocess.run(command, capture_output=True, text=True, errors="replace", check=False, env=env)

    def _run(self, command: Sequence[str], target: str) -> None:
        run = self._capture(command)
        self._finish(run.returncode, run.stdout + run.stderr, target)

    def _finish(self, status: int, said: str, target: str) -> None:
        text = frontend.name_arch(said, target)
        if status:
            killed = f"mcc: error: the compiler was killed by signal {-status}\n" if status < 0 else ""
            raise CompileFailed(text + killed, 1 if status < 0 else status)
        self._reporter.say(text)


def _replace(path: str, data: bytes) -> None:
    """Write an output whole or not at all; an empty path is standard output."""
    if path in ("", "-"):
        sys.stdout.buffer.write(data)
        return
    target = Path(path)
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        partial.write_bytes(data)
        partial.replace(target)
    except OSError as error:
        raise DriverError(f"unable to open output file '{path}': '{error.strerror}'") from None
    finally:
        partial.unlink(missing_ok=True)
