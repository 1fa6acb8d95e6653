"""BuildPlan -> build.ninja and compile_commands.json, and running ninja on it.

The plan is rendered by pure functions. Running is the thin end: progress passes through as it comes, what failed is
kept back, whole, for the error that ends the build, so that it is the last thing on the screen.
"""

from __future__ import annotations

import io
import json
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Union

from . import files, process
from .errors import CompileFailedError, SettingError, ToolNotFoundError
from .launcher import sharing_environment
from .plan import BuildPlan, CompileStep, DeviceLinkStep, LinkStep, Step
from .recorder import Language

FILE_NAME = "build.ninja"
COMPILE_COMMANDS = "compile_commands.json"

_FAILED = re.compile(r"FAILED: (?:\[code=(?P<code>\d+)\] )?(?P<output>.*?) *$")
_LONGEST_LINE = 100_000
_PROGRESS = re.compile(r"\[\d+/\d+\] ")
_KILLED_HINT = "a compiler was killed, most likely for lack of memory: set MAX_JOBS to a smaller number"
_OUT_OF_MEMORY = re.compile(r"\bKilled\b|out of memory|cannot allocate memory", re.IGNORECASE)


def _print(line: str) -> None:
    print(line, flush=True)


def render(plan: BuildPlan, directory: str, mcc_jobs: int = 0) -> str:
    """The text of build.ninja; `directory` is where ninja keeps its own log, `mcc_jobs` how many mcc may run at once
    (0: as many as there are jobs)."""
    from ninja import ninja_syntax

    text = io.StringIO()
    writer = ninja_syntax.Writer(text, width=1 << 30)  # type: ignore[arg-type]  # one command, one line: easier to search
    writer.variable("ninja_required_version", "1.5")
    writer.variable("builddir", _escape_value(directory))
    writer.rule("compile", "$command_line", description="$what", depfile="$out.d", deps="gcc")
    writer.rule("link", "$command_line", description="$what")
    # sh takes one argument of 128 KiB at most; compilers read the rest from a file.
    writer.rule(
        "long_link", "$command_line @$out.rsp", description="$what", rspfile="$out.rsp", rspfile_content="$rest"
    )
    if mcc_jobs:
        writer.pool("mcc", mcc_jobs)
    for header in plan.precompiles:
        writer.build(
            [_escape_path(header.output)], "compile", [_escape_path(header.source)], variables=_variables(header)
        )
    for step in plan.compiles:
        writer.build(
            [_escape_path(step.output)],
            "compile",
            [_escape_path(step.source)],
            implicit=[_escape_path(path) for path in step.depends],
            order_only=[_escape_path(path) for path in step.after],
            variables=_variables(step),
            pool="mcc" if mcc_jobs and step.language is Language.MUSA else None,
        )
    links: tuple[Union[DeviceLinkStep, LinkStep], ...] = (*plan.device_links, *plan.links)
    for link in links:
        variables = _variables(link)
        writer.build(
            [_escape_path(link.output)],
            "long_link" if "rest" in variables else "link",
            [_escape_path(path) for path in link.inputs],
            variables=variables,
        )
    return text.getvalue()


def render_compile_commands(plan: BuildPlan, root: str) -> str:
    """The text of compile_commands.json (clangd, clang-tidy and IDEs read it)."""
    entries = [
        {"directory": root, "file": step.source, "output": step.output, "arguments": list(step.command)}
        for step in plan.compiles
    ]
    return json.dumps(entries, indent=1) + "\n"


def find_ninja() -> Path:
    """ninja on PATH, else the one of the `ninja` wheel: a virtual environment need not be activated."""
    found = process.find_program("ninja")
    if found is None:
        try:
            from ninja import BIN_DIR
        except ImportError:
            BIN_DIR = ""
        found = process.find_program(str(Path(BIN_DIR) / "ninja")) if BIN_DIR else None
    if found is None:
        raise ToolNotFoundError(
            "ninja was not found",
            found="none on PATH and none in this Python",
            wanted="ninja 1.5 or newer",
            hint="pip install ninja, or use BuildExtension.with_options(use_ninja=False)",
        )
    return found


def write(plan: BuildPlan, directory: Path, mcc_jobs: int = 0) -> Path:
    """Writes build.ninja and compile_commands.json into `directory` where they changed; returns build.ninja's path."""
    path = directory / FILE_NAME
    files.write_if_changed(path, render(plan, str(directory), mcc_jobs))
    files.write_if_changed(directory / COMPILE_COMMANDS, render_compile_commands(plan, str(Path.cwd())))
    return path


def run(
    descriptions: Mapping[str, str],
    file: Path,
    targets: Sequence[str],
    *,
    jobs: int,
    verbose: bool,
    keep_going: bool = False,
    tell: Callable[[str], None] = _print,
) -> None:
    """Runs ninja on `targets`, from the current directory: the commands' relative paths are the project's own.

    `descriptions` are what to call outputs in errors (a plan has them), `tell` gets each line of progress as it comes.
    Raises CompileFailedError with every failed command and all its text, and ToolNotFoundError without ninja.
    """
    command = [str(find_ninja()), "-f", str(file), "-j", str(jobs)]
    command += ["-v"] if verbose else []
    command += ["-k", "0"] if keep_going else []
    listener = _Listener(tell)
    environment = {"NINJA_STATUS": "[%f/%t] ", "CLICOLOR_FORCE": "0", **sharing_environment(Path.cwd())}
    status = process.stream([*command, *targets], listener.hear, extra_environment=environment)
    if status:
        raise failure_error(descriptions, listener.failures, "\n".join(listener.complaints))


@dataclass
class Failure:
    """One failed step as ninja reports it: its output file, its exit code ("" where ninja is too old to say), text."""

    output: str
    code: str
    text: list[str]


class _Listener:
    """Sorts what ninja prints: progress goes on, failed steps and ninja's own complaints are kept."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self.failures: list[Failure] = []
        self.complaints: list[str] = []
        self._failing = False

    def hear(self, line: str) -> None:
        failed = _FAILED.match(line)
        if failed:
            self._failing = True
            self.failures.append(Failure(failed["output"], failed["code"] or "", []))
        elif line.startswith(("ninja: error:", "ninja: fatal:")):
            self.complaints.append(line)
        elif line.startswith("ninja: build stopped"):
            self._failing = False
        elif self._failing and not _PROGRESS.match(line):
            self.failures[-1].text.append(line)
        else:
            self._failing = False
            self._tell(line)


def failure_error(
    descriptions: Mapping[str, str], failures: Sequence[Failure], complaint: str = ""
) -> CompileFailedError:
    """The error for failed steps. The first line of a failure's text is its command."""
    blocks = []
    for failure in failures:
        name = descriptions.get(failure.output, failure.output)
        code = f" (exit code {failure.code})" if failure.code else ""
        blocks.append("\n".join([f"{name}{code}", *failure.text]))
    killed = any(f.code == "137" or _OUT_OF_MEMORY.search("\n".join(f.text[1:])) for f in failures)
    count = len(failures)
    return CompileFailedError(
        f"{count} step{'s' if count > 1 else ''} failed" if count else "ninja could not build",
        output="\n\n".join([*blocks, *([complaint] if complaint else [])]),
        hint=_KILLED_HINT if killed else "",
        failed=tuple((failure.output, "\n".join(failure.text[1:])) for failure in failures),
    )


def _variables(step: Step) -> dict[str, str]:
    line = shlex.join(step.command)
    rest = ""
    if len(line) > _LONGEST_LINE and not isinstance(step, CompileStep):
        line, rest = shlex.quote(step.command[0]), shlex.join(step.command[1:])
    if "\n" in line or "\n" in rest:
        raise SettingError(
            f"a flag of {step.extension} holds a line break",
            found=repr(next(word for word in step.command if "\n" in word)),
            wanted="flags of one line each, which is all that ninja can pass on",
        )
    variables = {"command_line": _escape_value(line), "what": _escape_value(step.description)}
    return {**variables, "rest": _escape_value(rest)} if rest else variables


def _escape_value(text: str) -> str:
    return text.replace("$", "$$")


def _escape_path(path: str) -> str:
    """What makes ninja_syntax write `path` correctly: it doubles a $ before a space by itself, but no other one."""
    return re.sub(r"\$(?! )", "$$", path)
