"""The command `mcc`: run one command line."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from .clang import arguments, cc1
from .clang.toolchain import TARGET, Toolchain
from .command_line.invocation import Input, Invocation, Language, Stage
from .command_line.parse import parse
from .commands import Commands, Reporter, write_output
from .errors import CompileFailed, DriverError, InternalError
from .ir.text import UnexpectedIR
from .sdk import Sdk, mark_used

_SUFFIX = {Stage.OBJECT: ".o", Stage.ASSEMBLY: ".s", Stage.LINK: ".o"}


def version_text(sdk: Sdk, sdk_version: str) -> str:
    """Return the five lines of a release that has the `mcc version` line (5.1)."""
    return (
        f"clang version {sdk.toolchain.clang_version} (MUSA simulator on the CPU)\n"
        f"mcc version {sdk_version}\n"
        f"Target: {TARGET}\n"
        "Thread model: posix\n"
        f"InstalledDir: {sdk.root / 'bin'}\n"
    )


def _output(invocation: Invocation, item: Input, scratch: Path) -> str:
    """Return the output file of one input; empty means standard output."""
    if invocation.stage is Stage.LINK:
        return str(scratch / f"{len(list(scratch.iterdir()))}-{Path(item.path).stem}.o")
    if invocation.output:
        return invocation.output
    if invocation.stage not in _SUFFIX:
        return ""
    suffix = _SUFFIX[invocation.stage]
    if invocation.device_only:
        text = ".ll" if "-emit-llvm" in invocation.compile_args else suffix
        suffix = text if invocation.stage is Stage.ASSEMBLY else ".mubin"
    return Path(item.path).stem + suffix


def _link_command(sdk: Sdk, invocation: Invocation, words: Sequence[str]) -> list[str]:
    return [
        *(sdk.toolchain.host_cxx, *words, *(["-lomp"] if "-fopenmp" in words else [])),
        *("-o", invocation.output or "a.out"),
        # a program linked here runs without LD_LIBRARY_PATH: the simulated SDK is in nobody's ld.so.conf
        *(f"-L{sdk.library}", f"-Wl,-rpath,{sdk.library}"),
    ]


def _device_link(
    sdk: Sdk, invocation: Invocation, words: Sequence[str], output: str, reporter: Reporter, scratch: Path
) -> None:
    from .relocatable.link import device_link  # imported here: few links need it

    folder = scratch / "device-link"
    folder.mkdir()
    archs, checks = invocation.named_archs, invocation.check_bits
    linked = device_link(sdk, Commands(reporter), folder, words=words, archs=archs, checks=checks)
    write_output(output, linked.images if invocation.device_only else linked.as_object(sdk, Commands(reporter), folder))


def _link(sdk: Sdk, invocation: Invocation, objects: dict[str, str], reporter: Reporter, scratch: Path) -> None:
    words = [objects.get(word, word) for word in invocation.link_args]
    if invocation.device_link:
        _device_link(sdk, invocation, words, invocation.output or "a_dlink.o", reporter, scratch)
        return
    if invocation.is_relocatable:
        linked = str(scratch / "device-link.o")
        _device_link(sdk, invocation, words, linked, reporter, scratch)
        words = [linked, *words]
    else:
        from .relocatable.link import refuse_unlinked

        refuse_unlinked(words)
    command = _link_command(sdk, invocation, words)
    reporter.command(command)
    status = subprocess.run(command, check=False).returncode
    if status:
        forgotten = any(item.language is Language.MUSA for item in invocation.inputs) and "-lmusart" not in command
        hint = "mcc: note: programs that use MUSA need '-lmusart'\n" if forgotten else ""
        raise CompileFailed(f"mcc: error: linker command failed with exit code 1 (use -v to see invocation)\n{hint}")


def _compile_all(sdk: Sdk, invocation: Invocation, reporter: Reporter) -> None:
    objects: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="mcc-") as made:
        scratch = Path(made)
        for at, item in enumerate(invocation.inputs):
            if item.language is Language.LINK:
                continue
            output = _output(invocation, item, scratch)
            objects[item.path] = output
            own = scratch / f"pass-{at}"
            own.mkdir()
            _compile(sdk, invocation, item, output, reporter, own)
        if invocation.stage is Stage.LINK:
            _link(sdk, invocation, objects, reporter, scratch)


def _compile(sdk: Sdk, invocation: Invocation, item: Input, output: str, reporter: Reporter, scratch: Path) -> None:
    # imported here: links and questions do not need it
    from .compilation import Compilation

    source = _from_stdin(scratch) if item.path == "-" else item.path
    compilation = Compilation(sdk, invocation, Commands(reporter), scratch)
    if item.language is Language.MUSA:
        compilation.musa(source, output)
    elif source.endswith(".ii") and _is_of_another_mcc(source):
        compilation.texts(source, output)
    else:
        compilation.host(source, item.explicit, output)


def _is_of_another_mcc(source: str) -> bool:
    from .distributed import is_texts  # few inputs are preprocessed

    return is_texts(source)


def _from_stdin(folder: Path) -> str:
    """Copy standard input to a file, because several passes read it."""
    path = folder / "stdin"
    path.write_bytes(sys.stdin.buffer.read())
    return str(path)


def _refuse_missing(sdk: Sdk, invocation: Invocation) -> None:
    """Report unknown flags, then missing inputs, in clang's order."""
    if not invocation.missing:
        return
    said = ""
    try:
        cc1.ask_driver(sdk.toolchain, invocation.compile_args, "-c", "/dev/null", "-")
    except CompileFailed as failure:
        said = failure.diagnostics
    missing = "".join(f"mcc: error: no such file or directory: '{name}'\n" for name in invocation.missing)
    raise CompileFailed(said + missing)


def _dry_run(sdk: Sdk, invocation: Invocation) -> None:
    """Do the work of -###: print the commands without running them, with the bare names of intermediate files."""
    for item in invocation.inputs:
        if item.language is Language.LINK:
            continue
        command, _ = cc1.ask_driver(sdk.toolchain, invocation.compile_args, "-c", item.path, invocation.output or "-")
        reporter = Reporter(verbose=True)
        if item.language is Language.MUSA:
            for arch in invocation.archs:
                args = arguments.device_pass(command, sdk.include, arch, "device.d")
                reporter.command(command.command(args, "cuda", item.path, f"{arch}.ll"))
            args = arguments.host_pass(command, sdk.include, "fatbin")
            reporter.command(command.command(args, "cuda", item.path, "host.ll"))
        else:
            reporter.command(command.command(command.args, "c++", item.path, invocation.output or "-"))


def main(argv: list[str], root: Path, sdk_version: str) -> int:
    """Run one mcc command line for the SDK at `root`; return the exit status."""
    try:
        sdk = Sdk(root, Toolchain.load(root / "share" / "musa_sim" / "toolchain.json"))
        mark_used(sdk.last_used)
        invocation = parse(argv)
        reporter = Reporter(invocation.verbose)
        if invocation.show_version:
            sys.stdout.write(version_text(sdk, sdk_version))
            return 0
        if invocation.questions:
            command = [*cc1.driver_command(sdk.toolchain), *invocation.questions]
            return subprocess.run(command, check=False).returncode
        if invocation.verbose or invocation.dry_run:
            sys.stderr.write(version_text(sdk, sdk_version))
        for warning in invocation.warnings:
            reporter.say(f"mcc: warning: {warning} [-Wunused-command-line-argument]")
        _refuse_missing(sdk, invocation)
        if invocation.dry_run:
            _dry_run(sdk, invocation)
        elif invocation.inputs:
            _compile_all(sdk, invocation, reporter)
        return 0
    except CompileFailed as failure:
        sys.stderr.write(failure.diagnostics)
        return failure.status
    except DriverError as error:
        sys.stderr.write(f"mcc: error: {error}\n")
        return 1
    except (InternalError, UnexpectedIR) as error:
        sys.stderr.write(
            f"mcc: error: the simulator does not understand what clang produced: {error}\n"
            "mcc: note: this is a defect of the simulator, not of your code; please report it with the source file\n"
        )
        return 70
    except KeyboardInterrupt:
        return 130
