"""`musa-build cuda-env` and `musa-build run`: build any CUDA project with MUSA's compiler."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable
from typing import Any, Optional

import click

from ..environment.sdk import MusaSdk
from ..environment.settings import Settings
from ..errors import MusaBuildError, ToolNotFoundError
from .help_text import epilog

_ENV_EXAMPLES = (
    'eval "$(musa-build cuda-env)"         then: cmake -B build, and so on',
    'eval "$(musa-build cuda-env)"; make   a Makefile that calls nvcc',
    "musa-build cuda-env --cuda-arch 750   device code for sm_75",
)
_RUN_EXAMPLES = (
    "musa-build run -- cmake -B build",
    "musa-build run -- cmake --build build",
    "musa-build run -- nvcc -o saxpy saxpy.cu",
    "musa-build run -- ./saxpy",
)
_ARCH_HELP = "__CUDA_ARCH__ and compute capability on all cards, such as 750. Default: by card, 750 to 890."
_TYPES_HELP = "Structures keep MUSA's names (MUstream_st), as code needs that is linked with libtorch_musa."


def _toolkit_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in (
        click.option("--cuda-arch", type=click.IntRange(300, 999), metavar="NUMBER", help=_ARCH_HELP),
        click.option("--musa-types", is_flag=True, help=_TYPES_HELP),
    ):
        command = option(command)
    return command


def _variables(cuda_arch: Optional[int], musa_types: bool) -> dict[str, str]:
    from ..cuda_toolkit.root import toolkit_root
    from ..cuda_toolkit.variables import exported

    sdk = MusaSdk.find(Settings.read())
    return exported(toolkit_root(sdk, cuda_arch, musa_types=musa_types), sdk.root, os.environ)


@click.command(name="cuda-env", epilog=epilog(_ENV_EXAMPLES))
@_toolkit_options
def cuda_env(cuda_arch: Optional[int], musa_types: bool) -> None:
    """Print shell commands that select a CUDA toolkit that compiles for MUSA.

    Build systems find it as they find NVIDIA's. Not verified on MUSA hardware.
    """
    try:
        variables = _variables(cuda_arch, musa_types)
    except MusaBuildError:
        if not sys.stdout.isatty():
            click.echo("false")  # the status of `eval "$(musa-build cuda-env)"`, which a script with `set -e` ends at
        raise
    for name, value in variables.items():
        click.echo(f"export {name}={shlex.quote(value)}")


@click.command(
    name="run",
    epilog=epilog(_RUN_EXAMPLES, status="that of the command; 1 if it cannot be run, 2 for wrong usage."),
    context_settings={"ignore_unknown_options": True},
)
@_toolkit_options
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def run(command: tuple[str, ...], cuda_arch: Optional[int], musa_types: bool) -> None:
    """Run a command with the CUDA toolkit of `cuda-env`."""
    os.environ.update(_variables(cuda_arch, musa_types))
    try:
        os.execvp(command[0], command)
    except OSError as error:
        raise ToolNotFoundError(
            f"cannot run {command[0]}", found=error.strerror or str(error), wanted="a program on PATH after `--`"
        ) from None
