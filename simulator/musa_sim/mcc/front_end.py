"""Run clang's front end on one source: write host and device code as IR, or preprocess it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from .clang import arguments
from .clang.cc1 import INLINE_ASSEMBLY, Cc1, name_arch
from .commands import IR_ENCODING, Commands, two_at_a_time, write_output
from .dependencies import merge_dependency_files
from .errors import CompileFailed, InternalError
from .host import PLACEHOLDER, registered_variables
from .ir.module import Module
from .precompiled import PrecompiledHeaders
from .sdk import Sdk

if TYPE_CHECKING:
    from .distributed import Texts

_DEPENDENCY_FILE = "-dependency-file"
#: the function that clang calls for a launch from device code (include/musa_sim/device_launch.h)
_LAUNCH = "cudaLaunchDevice"
_EMIT = ("-emit-llvm", "-disable-llvm-passes")

_Pass = Callable[[], "subprocess.CompletedProcess[str]"]


class FrontEnd(NamedTuple):
    """Runs clang's front end on one source in CUDA mode."""

    sdk: Sdk
    commands: Commands
    scratch: Path
    cc1: Cc1
    source: str
    archs: Sequence[str]
    level: str  # of optimisation, of device code
    texts: Texts | None = None  # of a source that another machine preprocessed
    device_only: bool = False  # the host pass only tells how the arguments of kernels are packed

    def preprocess(self, *, device_only: bool, output: str) -> None:
        """Preprocess for the host, or for the first architecture."""
        if device_only:
            args = arguments.device_pass(self.cc1, self.sdk.include, self.archs[0], "-")
        else:
            args = arguments.host_pass(self.cc1, self.sdk.include, self._placeholder())
        argv = self.cc1.command([*args, *arguments.writing_to(output)], "cuda", self.source, output or "-")
        self.commands.reporter.command(argv)
        run = subprocess.run(argv, stderr=subprocess.PIPE, text=True, errors="replace", check=False)
        self.commands.finish(run.returncode, run.stderr, "host")

    def preprocess_all(self) -> tuple[dict[str, str], dict[str, bytes]]:
        """Preprocess for all targets, with the dependency file.

        Returns:
            Per architecture, the first one that has the same text; and the texts, that of the host included.
        """
        passes = {
            **{arch: self._preprocessing(arch, self._device_args(arch)) for arch in self.archs},
            "host": self._preprocessing("host", self._host_args()),
        }
        done = self._finished(passes)
        texts = {target: self._text(target).read_bytes() for target in done}
        first = {texts[arch]: arch for arch in reversed(self.archs)}
        same = {arch: first[texts[arch]] for arch in self.archs}
        kept = ["host", *dict.fromkeys(same.values())]
        self._write_dependencies(kept)
        return same, {target: texts[target] for target in kept}

    def write_texts(self) -> None:
        """Write the texts of a preprocessed source to the files that the passes read."""
        for target, text in self.texts.texts.items() if self.texts else ():
            self._text(target).parent.mkdir()
            self._text(target).write_bytes(text)

    def check_syntax(self) -> None:
        """Run all passes for their diagnostics."""
        self._run([])

    def modules(self) -> tuple[dict[str, Module], Module]:
        """Compile to IR: the device module of each architecture, and the host module."""
        same = self._run(_EMIT)
        host = Module.parse(self._host_file.read_text(encoding=IR_ENCODING))
        registered = registered_variables(host)
        read = {arch: self._with_constants(arch, registered) for arch in dict.fromkeys(same.values())}
        return {arch: read[other] for arch, other in same.items()}, host

    def _with_constants(self, arch: str, registered: frozenset[str]) -> Module:
        """Return a device module with all variables that the host may ask for.

        clang leaves out constants that no device code uses. So it runs again and keeps all constants. LLVM then drops
        those that the host does not ask for, because nothing uses them.
        """
        module = self._device_module(arch)
        if registered <= module.variables.keys():
            return module
        run = self._device_pass(arch, [*_EMIT, "-fkeep-static-consts"])()
        if run.returncode:
            self.commands.finish(run.returncode, run.stderr, arch)
        return self._device_module(arch).keeping_as(module)

    @contextmanager
    def naming_assembly(self) -> Iterator[None]:
        """Report the lines of inline assembly that LLVM refuses: clang knows them if it assembles the source itself."""
        try:
            yield
        except CompileFailed as failed:
            if INLINE_ASSEMBLY in failed.diagnostics:
                self._run(["-S"])
            raise

    def refuse_device_launches(self, modules: Iterable[Module]) -> None:
        """Raise CompileFailed for device code that launches kernels. Without -fgpu-rdc, clang names the lines."""
        if any(_LAUNCH in module.declarations for module in modules):
            self._replace(cc1=self.cc1._replace(args=tuple(self.cc1.without({"-fgpu-rdc": 1}))))._run(())
            raise InternalError("clang compiles a launch from device code")

    def device_llvm(self, output: str) -> None:
        """Write the device module of the first architecture."""
        modules, _ = self.modules()
        write_output(output, next(iter(modules.values())).text.encode(IR_ENCODING))

    def _run(self, emit: Sequence[str]) -> dict[str, str]:
        """Run all passes, two at a time; return, per architecture, the architecture whose pass it shares.

        A failure of the device pass is reported first: users of mcc know its text, and the host pass mostly repeats it.
        """
        same = self._same_text()
        archs = list(dict.fromkeys(same.values()))
        passes: dict[str, _Pass] = {
            **{arch: self._device_pass(arch, emit) for arch in archs},
            "host": self._host_pass(emit),
        }
        self._finished(passes)
        self._write_dependencies(["host", *archs])
        return same

    def _finished(self, passes: Mapping[str, _Pass]) -> Collection[str]:
        """Run passes, two at a time, and report what they say; return their targets."""
        done = two_at_a_time(passes)
        for target, run in done.items():
            if run.returncode:
                self.commands.finish(run.returncode, run.stderr, target)
        self._report_warnings({target: run.stderr for target, run in done.items()})
        return list(done)

    def _device_pass(self, arch: str, emit: Sequence[str]) -> _Pass:
        args = arguments.with_optimisation(self._device_args(arch), self.level)
        return self._pass(arch, args, emit, self._device_file(arch))

    def _host_pass(self, emit: Sequence[str]) -> _Pass:
        as_host = self._pass("host", self._host_args(), emit, self._host_file)
        if not self.device_only:
            return as_host
        args = [*self._host_args(), arguments.architecture_macro(self.archs[0]), arguments.STUBS_MACRO]
        as_device = self._pass("host", args, emit, self._host_file)

        def first_as_device() -> subprocess.CompletedProcess[str]:
            """Read the text as the device does: code for the device alone need not compile for a host."""
            done = as_device()
            return done if done.returncode == 0 else as_host()

        return first_as_device

    def _device_args(self, arch: str) -> list[str]:
        return arguments.device_pass(self.cc1, self.sdk.include, arch, str(self._dependencies(arch)))

    def _host_args(self) -> list[str]:
        args = arguments.host_pass(self.cc1, self.sdk.include, self._placeholder())
        if _DEPENDENCY_FILE in args:
            args[args.index(_DEPENDENCY_FILE) + 1] = str(self._dependencies("host"))
        return args

    def _preprocessing(self, target: str, args: Sequence[str]) -> _Pass:
        self._text(target).parent.mkdir()
        return partial(
            self.commands.capture, self.cc1.command([*args, "-E"], "cuda", self.source, str(self._text(target)))
        )

    def _pass(self, target: str, args: Sequence[str], emit: Sequence[str], output: Path) -> _Pass:
        language, source, folder = "cuda", self.source, None
        if self.texts:
            language, source, folder = "cuda-cpp-output", Path(self.source).name, self._text(target).parent
            args = arguments.after_preprocessing(self.cc1._replace(args=tuple(args)), self.source)

        def front_end(args: Sequence[str]) -> subprocess.CompletedProcess[str]:
            return self.commands.capture(self.cc1.command([*args, *emit], language, source, str(output)), cwd=folder)

        def both_tries() -> subprocess.CompletedProcess[str]:
            done = self._headers.run(args, front_end)
            if done.returncode <= 0:
                return done
            from .clang.clang_14 import second_try  # it is loaded after a mistake only

            more = second_try(done.stderr)
            again = self._headers.run([*args, *more], front_end) if more else done
            return done if again.returncode else again

        return both_tries

    def _same_text(self) -> dict[str, str]:
        """Return, per architecture, the first one that sees the same source after preprocessing.

        Most sources never use __MUSA_ARCH__. Preprocessing shows that in a tenth of the time of parsing torch's
        headers. All further architectures then cost nothing.
        """
        if self.texts:
            return dict(self.texts.same)
        if len(self.archs) == 1:
            return {self.archs[0]: self.archs[0]}
        import hashlib  # it is loaded for several architectures only

        def digest(arch: str) -> str:
            args = Cc1(self.cc1.program, tuple(arguments.device_pass(self.cc1, self.sdk.include, arch, ""))).without(
                {"-dependency-file": 2, "-emit-obj": 1}
            )
            argv = self.cc1.command([*args, "-E"], "cuda", self.source, "-")
            run = subprocess.run(argv, capture_output=True, check=False)
            return hashlib.sha256(run.stdout).hexdigest() if run.returncode == 0 else arch

        digests = two_at_a_time({arch: partial(digest, arch) for arch in self.archs})
        first = {text: arch for arch, text in reversed(list(digests.items()))}
        return {arch: first[text] for arch, text in digests.items()}

    def _device_file(self, arch: str) -> Path:
        return self.scratch / f"{arch}.front.ll"

    def _device_module(self, arch: str) -> Module:
        module = Module.parse(self._device_file(arch).read_text(encoding=IR_ENCODING))
        return module.with_target_cpu(self.cc1.device_cpu)

    def _text(self, target: str) -> Path:
        """Return the file of a preprocessed text. It has the name of the source, which objects may contain."""
        return self.scratch / f"{target}.text" / Path(self.source).name

    def _dependencies(self, target: str) -> Path:
        return self.scratch / f"{target}.d"

    @property
    def _headers(self) -> PrecompiledHeaders:
        return PrecompiledHeaders(self.sdk.precompiled, self.cc1.program, self.sdk.toolchain.clang_major, self.commands)

    @property
    def _host_file(self) -> Path:
        return self.scratch / "host.front.ll"

    def _placeholder(self) -> str:
        path = self.scratch / "placeholder"
        path.write_text(PLACEHOLDER)
        return str(path)

    def _write_dependencies(self, targets: Sequence[str]) -> None:
        """Write the dependency file, with the headers of all passes. It is written once, because it may be a pipe."""
        if _DEPENDENCY_FILE in self.cc1.args:
            texts = [path.read_text() for target in targets if (path := self._dependencies(target)).exists()]
            merged = merge_dependency_files(texts, self.source, self._headers.unnamed(texts))
            write_output(self.cc1.args[self.cc1.args.index(_DEPENDENCY_FILE) + 1], merged.encode())

    def _report_warnings(self, said: Mapping[str, str]) -> None:
        shown: set[str] = set()
        for target, text in said.items():
            named = name_arch(text, target)
            diagnostics = named.rpartition("\n")[0].rpartition("\n")[0]  # all but the footer
            if diagnostics not in shown:
                self.commands.reporter.say(named)
            shown.add(diagnostics)
