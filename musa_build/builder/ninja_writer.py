"""BuildPlan -> build.ninja and compile_commands.json, by pure functions; `write` puts them into the build directory."""

from __future__ import annotations

import io
import json
import re
import shlex
from pathlib import Path
from typing import Union

from ..errors import SettingError
from ..system import files
from ..toolchain.languages import Language
from .ninja_runner import FILE_NAME
from .plan import BuildPlan, CompileStep, DeviceLinkStep, LinkStep, Step

COMPILE_COMMANDS = "compile_commands.json"

_LONGEST_LINE = 100_000
_WITHOUT_HEADER = (
    "{ rm -f $out $out.d; echo 'warning: the header could not be precompiled; sources read it as always, and the next "
    "build tries again (MUSA_BUILD_PCH=0 turns this off)'; }"
)


def render(plan: BuildPlan, directory: str, mcc_jobs: int = 0) -> str:
    """The text of build.ninja; `directory` is where ninja keeps its own log, `mcc_jobs` how many mcc may run at once
    (0: as many as there are jobs)."""
    from ninja import ninja_syntax

    text = io.StringIO()
    writer = ninja_syntax.Writer(text, width=1 << 30)  # type: ignore[arg-type]  # one command, one line: easier to search
    writer.variable("ninja_required_version", "1.5")
    writer.variable("builddir", _escape_value(directory))
    writer.rule("compile", "$command_line", description="$what", depfile="$out.d", deps="gcc")
    # Without it (for lack of space on the disk, say) sources compile as well. It stays missing, and is tried again.
    writer.rule("precompile", f"$command_line || {_WITHOUT_HEADER}", description="$what", depfile="$out.d", deps="gcc")
    writer.rule("link", "$command_line", description="$what")
    # sh takes one argument of 128 KiB at most; compilers read the rest from a file.
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
    """The text of compile_commands.json (clangd, clang-tidy and IDEs read it)."""
    entries = [
        {"directory": root, "file": step.source, "output": step.output, "arguments": list(step.command)}
        for step in plan.compiles
    ]
    return json.dumps(entries, indent=1) + "\n"


def write(plan: BuildPlan, directory: Path, mcc_jobs: int = 0, *, commands_in_root: bool = False) -> Path:
    """Writes build.ninja and compile_commands.json into `directory` where they changed; returns build.ninja's path.

    `commands_in_root` writes compile_commands.json into the current directory as well.
    """
    path, *commands_files = written_files(directory, commands_in_root)
    files.write_if_changed(path, render(plan, str(directory), mcc_jobs))
    commands = render_compile_commands(plan, str(Path.cwd()))
    for file in commands_files:
        files.write_if_changed(file.resolve(), commands)  # a link to where an editor wants it stays a link
    return path


def written_files(directory: Path, commands_in_root: bool) -> tuple[Path, ...]:
    """What `write` writes, build.ninja first."""
    folders = (directory, *([Path.cwd()] if commands_in_root else []))
    return (directory / FILE_NAME, *(folder / COMPILE_COMMANDS for folder in folders))


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
