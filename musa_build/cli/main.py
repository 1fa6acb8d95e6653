"""The commands of `musa-build`. Each calls the module that does the work."""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path

import click

from .. import __version__
from ..environment.sdk import MusaSdk
from ..environment.settings import Settings
from ..errors import MusaBuildError, ToolNotFoundError
from ..system.exit_status import INTERRUPTED
from ..system.process import run
from ..system.terminal import show, width_of
from .commands import COMMANDS
from .help_text import Group, epilog

_EXAMPLES = (
    "musa-build demo                  port, build and run a CUDA extension",
    "musa-build doctor                check what a build needs here",
    'eval "$(musa-build env)"         set MUSA_HOME and PATH in this shell',
    "musa-build new my-ops            a project with a kernel, a test and CI",
    "musa-build port csrc             port csrc/*.cu to csrc_musa/*.mu",
    "musa-build install mmcv==2.2.0   build an unmodified CUDA package",
    "MUSA_BUILD_SIMULATOR=1 pip install --no-build-isolation .",
    "musa-build sim run --check=memory,race -- python train.py",
    "musa-build explain MB202         what an error means, and what to do",
    "musa-build verify                test what we assume about MUSA on a card",
)
_DOCTOR_EXAMPLES = (
    "musa-build doctor",
    "musa-build doctor --run          compile and run one kernel, too",
    "musa-build doctor --run --json   what a bug report needs",
    "MUSA_HOME=/opt/musa musa-build doctor",
)
_ENV_EXAMPLES = ('eval "$(musa-build env)"',)
_DOCTOR_STATUS = "0 if a build has all that it needs, 1 if something required is missing, 2 for wrong usage."


class _Group(Group):
    """A group that prints a MusaBuildError as a block, and ends with its status; with 130 if it was interrupted."""

    sections = {  # noqa: RUF012 - declared in the base class
        "Start here": ("demo", "doctor", "new", "explain"),
        "Build": ("install", "port", "cuda-env", "run", "env", "torch-musa"),
        "Simulator": ("sim",),
    }

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except MusaBuildError as error:
            show(error)
            _explain_shortly(error)
            ctx.exit(error.exit_status)
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
            ctx.exit(INTERRUPTED)


def _explain_shortly(error: MusaBuildError) -> None:
    """Print the meaning of an error in the language of the user, if it is not the error's own."""
    from ..explain import ENGLISH, find
    from ..explain.language import chosen

    topic = find(error.code, chosen())
    if topic is not None and topic.language != ENGLISH:
        click.echo(f"{topic.code}: {topic.title}", err=True)


def _print_cmake_dir(context: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        from ..cmake.facts import CMAKE_DIR

        click.echo(str(CMAKE_DIR))
        context.exit()


@click.group(cls=_Group, epilog=epilog(_EXAMPLES), context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="musa-build")
@click.option(
    "--cmake-dir",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_cmake_dir,
    help="Print the directory of MusaBuildConfig.cmake, for find_package(MusaBuild), and exit.",
)
def main() -> None:
    """Build CUDA PyTorch extensions for Moore Threads MUSA GPUs."""


@main.command(epilog=epilog(_DOCTOR_EXAMPLES, status=_DOCTOR_STATUS))
@click.option("--run", "running", is_flag=True, help="Also compile one kernel, run it, and check what it computes.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def doctor(running: bool, as_json: bool) -> None:
    """Check what a build needs on this machine: SDK, compilers, torch and tools."""
    # Imported here, because it imports torch, which the other commands do not need.
    from ..explain.language import chosen
    from ..explain.texts import translator
    from ..system.waiting import Waiting
    from .doctor import examine, next_steps, wants_simulator

    in_language = translator(chosen())
    if as_json:
        with Waiting(sys.stderr) as waiting:
            findings = [*examine(running=running, begins=waiting.begins)]
        click.echo(json.dumps([finding.as_json for finding in findings], indent=1))
    else:
        findings = []
        with Waiting(sys.stdout, quiet=0) as waiting:

            def begins(name: str) -> None:
                waiting.begins(f"        {in_language(name)}")

            for finding in examine(running=running, begins=begins):
                waiting.ends()
                click.echo(finding.block(in_language, width_of(sys.stdout, os.environ)))
                findings.append(finding)
        click.echo(in_language("Next:"))
        for step in next_steps(findings, on_simulator=wants_simulator()):
            click.echo(f"  {in_language(step)}")
    sys.exit(0 if all(finding.ok for finding in findings if finding.required) else 1)


@main.command("cmake-facts", hidden=True)
def print_cmake_facts() -> None:
    """Print the variables that the CMake package needs of torch and torch_musa."""
    from ..cmake.facts import cmake_facts

    click.echo(cmake_facts())


@main.command(epilog=epilog(_ENV_EXAMPLES))
def env() -> None:
    """Print shell commands that select the MUSA SDK of a build: MUSA_HOME, PATH, LD_LIBRARY_PATH."""
    sdk = MusaSdk.find(Settings.read())
    click.echo(f"export MUSA_HOME={shlex.quote(str(sdk.root))}")
    click.echo(f'export PATH={shlex.quote(str(sdk.root / "bin"))}:"$PATH"')
    click.echo(f'export LD_LIBRARY_PATH={shlex.quote(str(sdk.root / "lib"))}${{LD_LIBRARY_PATH:+:"$LD_LIBRARY_PATH"}}')


@main.command(context_settings={"ignore_unknown_options": True, "help_option_names": []}, add_help_option=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def port(arguments: tuple[str, ...]) -> None:
    """Port a folder of CUDA sources to MUSA."""
    from ..porting.__main__ import main as port_main

    sys.exit(port_main(list(arguments), prog="musa-build port", is_clean=is_clean))


def is_clean(folder: Path) -> bool:
    """Return whether `folder` is in a git repository, without changes, untracked files or ignored files."""
    try:
        done = run(["git", "-C", str(folder), "status", "--porcelain", "--ignored", "--", "."])
    except ToolNotFoundError:
        return False
    return done.returncode == 0 and not done.stdout.strip()


@main.command(epilog=epilog(('eval "$(musa-build completion bash)"', "musa-build completion fish | source")))
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the code that completes musa-build's commands and options in a shell."""
    from click.shell_completion import get_completion_class

    completer = get_completion_class(shell)
    if completer is None:  # a click that does not know the shell
        raise MusaBuildError(f"this version of click cannot complete in {shell}", hint="pip install --upgrade click")
    click.echo(completer(main, {}, "musa-build", "_MUSA_BUILD_COMPLETE").source())


@main.command(epilog=epilog(("musa-build version",)))
def version() -> None:
    """Print the version of musa-build."""
    click.echo(__version__)


for command in COMMANDS:
    main.add_command(command)
