"""`musa-build cache`: show and empty the caches."""

from __future__ import annotations

import json
import textwrap
import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import Optional

import click

from .. import caches
from .help_text import Group, epilog

_EXAMPLES = (
    "musa-build cache                   all caches: sizes, last use, paths",
    "musa-build cache clear             empty all of them",
    "musa-build cache clear force jit   empty two of them",
)
_NAMES = ("sdk", "force", "cuda", "jit")


@click.group(name="cache", cls=Group, epilog=epilog(_EXAMPLES), invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print every folder as JSON.")
@click.pass_context
def cache(context: click.Context, as_json: bool) -> None:
    """Show the caches of musa-build and the simulator, or empty them."""
    if context.invoked_subcommand is not None:
        return
    measured = [(each, caches.measure(each)) for each in caches.all_caches()]
    if as_json:
        rows = [
            {"cache": each.name, **asdict(folder), "path": str(folder.path)}
            for each, found in measured
            for folder in found
        ]
        click.echo(json.dumps(rows, indent=1))
        return
    for each, found in measured:
        used = max((folder.last_use for folder in found), default=None)
        click.echo(f"{each.name:8}{_amount(found):24}{_age(used)}")
        for line in (*textwrap.wrap(each.holds, 72), str(each.path)):
            click.echo(f"        {line}")


@cache.command(epilog=epilog(("musa-build cache clear", "musa-build cache clear sdk")))
@click.argument("names", nargs=-1, metavar="[sdk|force|cuda|jit]...", type=click.Choice(_NAMES))
def clear(names: Sequence[str]) -> None:
    """Empty the named caches, or all. Folders that a running process uses stay."""
    for each in caches.all_caches():
        if names and each.name not in names:
            continue
        gone, kept = caches.clear(each)
        click.echo(f"{each.name}: removed {_amount(gone)}" + (f", kept {_amount(kept)} in use" if kept else ""))
        if gone and each.note:
            click.echo(f"  {each.note}")


def _amount(folders: Sequence[caches.Folder]) -> str:
    size = sum(folder.size for folder in folders)
    return f"{len(folders)} folder{'' if len(folders) == 1 else 's'}, {size / 1e6:.1f} MB"


def _age(used: Optional[float]) -> str:
    if used is None:
        return "never used"
    days = int((time.time() - used) // 86400)
    return "used today" if days <= 0 else f"used {days} day{'' if days == 1 else 's'} ago"
