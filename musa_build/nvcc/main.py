"""Run nvcc: `python main.py TOOLKIT ARGUMENT...`, as the toolkit's bin/nvcc does."""

from __future__ import annotations

import fcntl
import os
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..errors import MusaBuildError
from . import answers, refused
from .command import STANDARD_INPUT, Command, Language, Mode, read
from .plan import Step, options, plan
from .refused import NvccError
from .toolkit import Toolkit

if TYPE_CHECKING:
    from .inline_ptx import Left

#: The variable that names the file with the outputs of compiles.
RECORD = "MUSA_BUILD_NVCC_RECORD"
_PROBE = re.compile(r"/(?:CompilerIdCUDA|CMakeScratch|CMakeTmp|meson-private)/")


def main(root: str, arguments: Sequence[str]) -> int:
    """Run a command line of nvcc. Return the exit status."""
    toolkit = Toolkit.load(root)
    _mark_used(root)
    try:
        command = read(arguments, os.environ)
        answer = _answer(command, toolkit)
        if answer is not None:
            sys.stdout.write(answer)
            return 0
        return _run(command, toolkit)
    except (NvccError, MusaBuildError) as error:
        print(f"nvcc fatal   : {error}", file=sys.stderr)
    return 1


def _mark_used(root: str) -> None:
    """Keep the toolkit from being removed while this process runs, and note the time; see system/cache_directory.py."""
    path = os.path.join(root, ".in-use")
    try:
        fcntl.flock(os.open(path, os.O_RDONLY), fcntl.LOCK_SH | fcntl.LOCK_NB)
        os.utime(path)
    except OSError:
        pass  # a toolkit that this user may not write to is not removed either


def _answer(command: Command, toolkit: Toolkit) -> str | None:
    if command.has("version"):
        return answers.version(toolkit)
    if command.has("help"):
        return answers.HELP
    if command.has("list-gpu-arch"):
        return answers.architectures("compute")
    if command.has("list-gpu-code"):
        return answers.architectures("sm")
    return None


def _run(command: Command, toolkit: Toolkit) -> int:
    reports = command.has("dryrun", "verbose")
    if reports:
        lines = answers.surroundings(toolkit, os.environ.get("PATH", ""), os.environ.get("LD_LIBRARY_PATH", ""))
        print(*(f"#$ {line}" for line in lines), sep="\n", file=sys.stderr)
    program = command.program
    if program is not None:
        return _run_in_shell(program, command)
    left_to_host = [path for path in command.inputs if command.language(path) is Language.HOST]
    known = (*left_to_host, STANDARD_INPUT)
    missing = [path for path in command.inputs if path not in known and not os.path.exists(path)]
    if missing:  # the host compiler reports its own, if it reads them: `nvcc .c -Xcompiler --version` asks it alone
        raise NvccError(f"Don't know what to do with '{missing[0]}'")
    if command.has("clean-targets"):
        return 0
    _check_host_compiler(command)
    with _TemporaryFolder(command) as temporary:
        if STANDARD_INPUT in command.inputs:
            command = command.with_input(STANDARD_INPUT, _standard_input(command, temporary))
        steps = plan(command, toolkit, _environment(), temporary, has_relocatable=_has_relocatable(command))
        for step in steps:
            if reports:
                _report(step, command)
            if command.has("dryrun"):
                continue
            status = _do(step, toolkit)
            if status:
                return status
            _record(step)
    return _start_program(command) if command.has("run") and not command.has("dryrun") else 0


def _standard_input(command: Command, folder: str) -> str:
    """Write the standard input to a file in `folder` and return its path."""
    if command.value("-x") is None:
        raise NvccError("the language of the standard input is not known", wanted="-x cu, c or c++")
    path = os.path.join(folder, "stdin")
    with open(path, "wb") as stream:
        stream.write(sys.stdin.buffer.read())
    return path


def _check_host_compiler(command: Command) -> None:
    """Raise NvccError if -ccbin names no program: nvcc needs it for each source, mcc for none in CUDA."""
    named = command.value("compiler-bindir")
    folders = os.environ.get("PATH", "").split(os.pathsep)
    if named and not any(os.path.exists(os.path.join(folder, named)) for folder in ("", *folders)):
        raise NvccError("Failed to preprocess host compiler properties", found=f"no program {named}", wanted="g++")


def _environment() -> Mapping[str, str]:
    """Return the environment; where there is no g++, with CXX's program as NVCC_CCBIN, as conda's nvcc has it."""
    if os.environ.get("NVCC_CCBIN") or not os.environ.get("CXX"):
        return os.environ
    from ..system.host_compiler import host_cxx

    programs = [word for word in host_cxx(os.environ) if not word.startswith("-")]
    return {**os.environ, "NVCC_CCBIN": programs[-1]} if programs else os.environ


def _has_relocatable(command: Command) -> bool:
    if command.mode is not Mode.LINK:
        return False
    from . import relocatable

    objects = [path for path in command.inputs if command.language(path) is Language.OBJECT]
    return relocatable.is_in([*objects, *relocatable.static_libraries(command)])


def _report(step: Step, command: Command) -> None:
    if step.is_cuda:
        architecture = _asked_architecture(command)
        print(f'#$ cicc -arch compute_{architecture} "{step.source}"', file=sys.stderr)
    print(f"#$ {step.report or shlex.join(step.argv)}", file=sys.stderr)


def _asked_architecture(command: Command) -> str:
    """Return the CUDA architecture of a command: CMake takes it for the compiler's default."""
    keys = ("gpu-architecture", "generate-code", "gpu-code")
    texts = [flag.value for flag in command.flags if flag.key in keys]
    numbers = [word.partition("_")[2] for text in texts for word in text.replace("=", ",").split(",") if "_" in word]
    return next((number for number in reversed(numbers) if number[:2].isdigit()), answers.DEFAULT_CUDA_ARCHITECTURE)


#: Statements without translation that are named if the compiler's messages name none of their lines.
_MOST_LEFT = 10
#: How many lines a statement has at most.
_LONGEST_STATEMENT = 60
_LOCATION = re.compile(r"^(.+?):(\d+):", re.MULTILINE)


def _do(step: Step, toolkit: Toolkit) -> int:
    """Run one command and wait for it. Return its exit status."""
    argv = list(step.argv)
    left: Sequence[Left] = ()
    if step.is_cuda:
        from . import inline_ptx

        overlay = inline_ptx.overlay(step.source, inline_ptx.include_folders(argv), toolkit.root, toolkit.sdk)
        argv[1:1] = overlay.flags
        left = overlay.left
    if not left:
        return _status(argv)
    if sys.stderr.isatty():
        argv.insert(1, "-fcolor-diagnostics")
    messages = os.memfd_create("messages")
    status = _status(argv, messages)
    os.lseek(messages, 0, os.SEEK_SET)
    with open(messages, encoding="utf-8", errors="surrogateescape") as stream:
        text = stream.read()
    sys.stderr.write(text)
    if status:
        print(*_named(left, text), sep="\n", file=sys.stderr)
    return status


def _status(argv: list[str], messages: int | None = None) -> int:
    """Run a command, with its messages to a file if one is given. Return its exit status."""
    sys.stderr.flush()
    actions = [] if messages is None else [(os.POSIX_SPAWN_DUP2, messages, 2)]
    try:
        process = os.posix_spawnp(argv[0], argv, os.environ, file_actions=actions)
    except OSError as error:
        raise NvccError(f"{argv[0]} cannot be started", found=error.strerror or str(error)) from error
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    return status if status >= 0 else 128 - status


def _named(left: Sequence[Left], messages: str) -> list[str]:
    """Return lines about the statements that the compiler's messages name; about the first ones if it names none."""
    plain = re.sub(r"\x1b\[[0-9;]*[mK]", "", messages)
    locations = {(os.path.abspath(path), int(line)) for path, line in _LOCATION.findall(plain)}
    found = dict.fromkeys(
        max(before, key=lambda each: each.line)
        for path, line in sorted(locations)
        if (before := [each for each in left if each.path == path and 0 <= line - each.line < _LONGEST_STATEMENT])
    )
    if found:
        return [each.text for each in found]
    more = [f"nvcc: and {len(left) - _MOST_LEFT} others"] if len(left) > _MOST_LEFT else []
    return [*(each.text for each in left[:_MOST_LEFT]), *more]


def _record(step: Step) -> None:
    """Append the output of a compile of device code to the file that the environment names, if it names one.

    FORCE_MUSA=1 counts these lines. What CMake and Meson compile to learn about the compiler does not count.
    """
    record = os.environ.get(RECORD)
    if record and step.makes_device_code:
        output = os.path.abspath(step.argv[step.argv.index("-o") + 1])
        # A compile that is linked in the same run has a temporary output.
        if not any(_PROBE.search(f"{path}/") for path in (output, os.path.abspath(step.source), os.getcwd())):
            with open(record, "a", encoding="utf-8", errors="surrogateescape") as stream:
                stream.write(f"{output}\n")


def _start_program(command: Command) -> int:
    """Run the program that was linked, as -run does."""
    program = os.path.abspath(command.value("output-file") or "a.out")
    return _spawned(program, *_run_arguments(command))


def _run_in_shell(program: str, command: Command) -> int:
    """Run a program as nvcc does, which gives its name and the arguments to a shell. Return its exit status."""
    refused.check_spelling(command.own)
    refused.check(command.own)
    line = " ".join([program, *_run_arguments(command)])
    if command.has("dryrun", "verbose"):
        print(f"#$ {line}", file=sys.stderr)
    return 0 if command.has("dryrun") else _spawned("/bin/sh", "-c", line)


def _run_arguments(command: Command) -> list[str]:
    return [word for flag in command.flags if flag.key == "run-args" for word in options(flag.value)]


def _spawned(program: str, *arguments: str) -> int:
    process = os.posix_spawn(program, [program, *arguments], os.environ)
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    return status if status >= 0 else 128 - status


class _TemporaryFolder:
    """A folder for objects that are only linked; --keep keeps it in --keep-dir."""

    def __init__(self, command: Command) -> None:
        self._kept = command.value("keep-dir") or ("." if command.has("keep", "save-temps") else None)
        self._made = ""

    def __enter__(self) -> str:
        if self._kept is not None:
            os.makedirs(self._kept, exist_ok=True)
            return self._kept
        base = os.environ.get("TMPDIR") or "/tmp"
        self._made = os.path.join(base, f"nvcc-{os.getpid()}-{os.urandom(6).hex()}")
        os.mkdir(self._made, 0o700)
        return self._made

    def __exit__(self, *_: object) -> None:
        if self._made:
            for name in os.listdir(self._made):
                os.unlink(os.path.join(self._made, name))
            os.rmdir(self._made)
