"""Render a BuildPlan as build.ninja and compile_commands.json (pure functions), and write them (`write`)."""

from __future__ import annotations

import io
import json
import re
import shlex
from pathlib import Path
from typing import Union

from ..errors import SettingError
from ..system import files
from ..toolchain.compilers import Language
from .plan import BuildPlan, CompileStep, DeviceLinkStep, LinkStep, Step
from .runner import FILE_NAME

COMPILE_COMMANDS = "compile_commands.json"

_LONGEST_LINE = 100_000
_WITHOUT_HEADER = (
    "{ rm -f $out $out.d; echo 'warning: the header could not be precompiled; sources are compiled without it, and the "
    "next build tries again (MUSA_BUILD_PCH=0 turns this off)'; }"
)


def render(plan: BuildPlan, directory: str, mcc_jobs: int = 0) -> str:
    """Return the text of build.ninja.

    Args:
        plan: The steps.
        directory: The directory of ninja's log.
        mcc_jobs: How many mcc may run at once; 0 for as many as there are jobs.
    """
    from ninja import ninja_syntax

    text = io.StringIO()
    writer = ninja_syntax.Writer(text, width=1 << 30)  # type: ignore[arg-type]  # one line per command: easier to search
    writer.variable("ninja_required_version", "1.5")
    writer.variable("builddir", _escape_value(directory))
    writer.rule("compile", "$command_line", description="$what", depfile="$out.d", deps="gcc")
    # If this fails (the disk is full, say), sources compile without it. The file stays missing: the next build retries.
    writer.rule("precompile", f"$command_line || {_WITHOUT_HEADER}", description="$what", depfile="$out.d", deps="gcc")
    writer.rule("link", "$command_line", description="$what")
    # sh accepts at most 128 KiB in one argument; compilers read the rest from a file.
    writer.rule(
        "long_link", "$command_line @$out.rsp", description="$what", rspfile="$out.rsp", rspfile_content="$rest"
    )
    if mcc_jobs:
        writer.pool("mcc", mcc_jobs)
    for header in plan.precompiles:
        writer.build(
            [_escape_path(header.output)],
            "precompile",
            [_escape_path(header.source)],
            implicit=[_escape_path(path) for path in header.depends],
            variables=_variables(header),
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
            implicit=[_escape_path(path) for path in link.depends],
            variables=variables,
        )
    return text.getvalue()


def render_compile_commands(plan: BuildPlan, root: str) -> str:
    """Return the text of compile_commands.json (clangd, clang-tidy and IDEs read it)."""
    entries = [
        {"directory": root, "file": step.source, "output": step.output, "arguments": list(step.command)}
        for step in plan.compiles
    ]
    return json.dumps(entries, indent=1) + "\n"


def write(plan: BuildPlan, directory: Path, mcc_jobs: int = 0, *, commands_in_root: bool = False) -> Path:
    """Write build.ninja and compile_commands.json to `directory` if they changed. Return the path of build.ninja.

    `commands_in_root` also writes compile_commands.json to the current directory.
    """
    path, *commands_files = written_files(directory, commands_in_root)
    files.write_if_changed(path, render(plan, str(directory), mcc_jobs))
    commands = render_compile_commands(plan, str(Path.cwd()))
    for file in commands_files:
        files.write_if_changed(file.resolve(), commands)  # if it is a symbolic link, keep it
    return path


def written_files(directory: Path, commands_in_root: bool) -> tuple[Path, ...]:
    """Return the files that `write` writes, build.ninja first."""
    folders = (directory, *([Path.cwd()] if commands_in_root else []))
    return (directory / FILE_NAME, *(folder / COMPILE_COMMANDS for folder in folders))


def _variables(step: Step) -> dict[str, str]:
    line = shlex.join(step.command)
    rest = ""
    if len(line) > _LONGEST_LINE and not isinstance(step, CompileStep):
        line, rest = shlex.quote(step.command[0]), shlex.join(step.command[1:])
    if "\n" in line or "\n" in rest:
        raise SettingError(
            f"a flag of {step.extension} contains a line break",
            found=repr(next(argument for argument in step.command if "\n" in argument)),
            wanted="flags without line breaks, because ninja cannot pass them",
        )
    variables = {"command_line": _escape_value(line), "what": _escape_value(step.description)}
    return {**variables, "rest": _escape_value(rest)} if rest else variables


def _escape_value(text: str) -> str:
    return text.replace("$", "$$")


def _escape_path(path: str) -> str:
    """Escape `path` for ninja_syntax, which doubles a $ before a space itself, but no other $."""
    return re.sub(r"\$(?! )", "$$", path)
