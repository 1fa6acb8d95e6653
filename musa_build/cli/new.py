"""The first commands: `musa-build demo` ports, builds and runs an example, `musa-build new` makes a project."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Optional

import click

from ..new_project import KINDS, TEST, create
from .help_text import epilog

_EXAMPLES = (
    "musa-build new my-ops",
    "musa-build new my-ops --build cmake",
    "musa-build new my-ops --output ~/src/ops",
)
_DEMO_EXAMPLES = (
    "musa-build demo",
    "musa-build demo --install   install PyTorch's simulated device first",
    "musa-build demo --output /tmp/demo",
)
_KIND_LIST = "\n".join(["\b", "Ways to build:", *(f"  {name:18}{kind.title}" for name, kind in KINDS.items())])


@click.command(epilog=epilog(_EXAMPLES, _KIND_LIST))
@click.argument("name")
@click.option("--build", "kind", type=click.Choice(list(KINDS)), default="setuptools", show_default=True)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="The folder to make. Default: NAME in the current folder."
)
def new(name: str, kind: str, output: Optional[Path]) -> None:
    """Make a project: a kernel with its gradient, a test against NumPy, and a workflow for CI."""
    folder = output or Path(name)
    for path in create(name, kind, folder):
        click.echo(f"  {folder / path}")
    steps = [
        f"cd {folder}",
        "export MUSA_BUILD_SIMULATOR=1    # without a MUSA card",
        KINDS[kind].by_hand,
        TEST,
    ]
    click.echo("Next:")
    for step in steps:
        if step:
            click.echo(f"  {step}")


@click.command(epilog=epilog(_DEMO_EXAMPLES))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=Path("musa-demo"),
    show_default=True,
    help="The folder for the example and its picture.",
)
@click.option(
    "--install",
    is_flag=True,
    help="Install torch-musa-sim and numpy by pip if they are missing. It takes minutes.",
)
def demo(output: Path, install: bool) -> None:
    """Port, build and run an extension that is written in CUDA, without a card if there is none."""
    from ..demo import run

    variable = "MUSA_BUILD_SIMULATOR"
    given = os.environ.get(variable)
    picture = run(output, click.echo, install=install)
    click.echo(f"\npicture: {picture}")
    if os.environ.get(variable) != given:
        click.echo(f"First: export {variable}=1    there is no MUSA SDK here: the demo chose the simulated one")
    click.echo("Next: FORCE_MUSA=1 pip install --no-build-isolation --no-deps .    in your CUDA extension's folder")
    click.echo("  or: musa-build new my-ops    starts a project with a kernel, a test and CI")
