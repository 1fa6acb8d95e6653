"""`musa-build install`: build an unmodified CUDA package for MUSA and install it."""

from __future__ import annotations

import sys
from typing import Optional

import click

from .help_text import epilog

_EXAMPLES = (
    "musa-build install mmcv==2.2.0",
    "musa-build install ./my-cuda-package --arch 31",
    "musa-build install mmcv==2.2.0 --only 'nms* roi_align* cudabind*'",
    "musa-build install torch-scatter --keep-going --no-deps",
)
_STATUS = "0 if the package was installed and loads, 1 if a step failed, 2 for wrong usage."

_LEVEL = "How much of CUDA the package finds. Default: the lowest level that works."
_PACKAGES = "A TOML file of variables and porting rules for single packages, in the form of quirks.toml."


@click.command(epilog=epilog(_EXAMPLES, status=_STATUS), context_settings={"ignore_unknown_options": True})
@click.option("--arch", metavar="LIST", help="Architectures to compile for, as TORCH_MUSA_ARCH_LIST.")
@click.option("--keep-going", is_flag=True, help="Exclude sources that do not compile; their functions raise.")
@click.option("--only", metavar="GLOBS", help="Build only matching sources; the functions of the others raise.")
@click.option("--level", type=click.IntRange(0, 5), help=_LEVEL)
@click.option("--packages", metavar="FILE", type=click.Path(dir_okay=False, resolve_path=True), help=_PACKAGES)
@click.option("--verbose", "-v", is_flag=True, help="Show all of pip's output.")
@click.argument("requirement")
@click.argument("pip_options", nargs=-1, type=click.UNPROCESSED)
def install(
    arch: Optional[str],
    keep_going: bool,
    only: Optional[str],
    level: Optional[int],
    packages: Optional[str],
    verbose: bool,
    requirement: str,
    pip_options: tuple[str, ...],
) -> None:
    """Build REQUIREMENT, an unmodified CUDA package, for MUSA. Install it and check that it loads.

    Other options are passed to pip. Dependencies are not installed; the summary names those that are missing.
    """
    if requirement.startswith("-"):
        raise click.UsageError(f"expected a package, got {requirement}: put pip's options after the package")
    environment = {
        "TORCH_MUSA_ARCH_LIST": arch,
        "MUSA_BUILD_KEEP_GOING": "1" if keep_going else None,
        "MUSA_BUILD_ONLY": only,
        "MUSA_BUILD_FORCE_LEVEL": None if level is None else str(level),
        "MUSA_BUILD_FORCE_PACKAGES": packages,
    }
    chosen = {name: value for name, value in environment.items() if value is not None}
    from ..force_musa import installer  # not above: the other commands need none of it
    from ..system.waiting import Waiting

    with Waiting(sys.stdout) as waiting:
        waiting.begins("still working")
        result = installer.install(requirement, pip_options, chosen, waiting.before(click.echo), verbose)
    for line in result.lines():
        click.echo(line)
    sys.exit(1 if result.broken else 0)
