"""`musa-build torch-musa`: port, compile and link PyTorch's own kernels."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Optional

import click

from ..errors import SettingError
from ..system.switch import WANTED, is_on
from .help_text import epilog

_EXAMPLES = (
    "PYTORCH_REPO_PATH=~/pytorch musa-build torch-musa",
    "PYTORCH_REPO_PATH=~/pytorch musa-build torch-musa AbsKernel 'Binary*' -j 4",
    "PYTORCH_REPO_PATH=~/pytorch musa-build torch-musa --json > report.json",
    "musa-build torch-musa --clean",
)
_ABOUT = (
    "The checkout is only read. It must have the version of the installed PyTorch. Files that do not compile stop "
    "nothing: the report says why. torch_musa loads the library after its own kernels; MUSA_FALLBACK=prefer leaves "
    "it out."
)
_PATCH = (
    "Nothing needs patching: torch_musa registers its device with an unmodified PyTorch. What PyTorch's kernels need "
    "changed is changed in a ported copy, build/torch-musa/generated_cuda_compatible; the checkout stays as it is."
)

_NO_OPERATORS = (
    "note: torch_musa's own kernel library is not installed, so few of its operators ask for these kernels: "
    "MUSA_KERNELS=1 {}"
)


def _truth(name: str) -> bool:
    """Return whether a switch of the environment is on. Raises SettingError."""
    try:
        return is_on(os.environ.get(name, ""))
    except ValueError:
        raise SettingError(f"{name} is a switch", found=repr(os.environ[name]), wanted=WANTED) from None


@click.command("torch-musa", epilog=epilog(_EXAMPLES, _ABOUT))
@click.argument("names", nargs=-1, metavar="[FILE]...")
@click.option(
    "--fp64",
    is_flag=True,
    help="Compile double precision into kernels for cards. Without it mcc gets -mathx-disable-fp64, as in torch_musa's "
    "build.sh. The simulator always has double precision.",
)
@click.option("--debug", is_flag=True, help="Compile without optimisation and with debug information. Also DEBUG=1.")
@click.option("--asan", is_flag=True, help="Compile and link with AddressSanitizer. Also USE_ASAN=1.")
@click.option("--clean", "cleaning", is_flag=True, help="Remove what this command made, and do nothing else.")
@click.option("--only-patch", is_flag=True, help="Say what would be patched in PyTorch (nothing), and exit.")
@click.option("-j", "--jobs", type=click.IntRange(1), help="Compilers at once. Default: as cores and memory allow.")
@click.option("-o", "--output", type=click.Path(file_okay=False, path_type=Path), default=Path("build/torch-musa"),
              show_default=True, help="The folder to build in.")  # fmt: skip
@click.option("--no-install", is_flag=True, help="Leave the library in the folder, not beside torch_musa's.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def torch_musa(
    names: tuple[str, ...],
    fp64: bool,
    debug: bool,
    asan: bool,
    cleaning: bool,
    only_patch: bool,
    jobs: Optional[int],
    output: Path,
    no_install: bool,
    as_json: bool,
) -> None:
    """Port, compile and link PyTorch's own kernels, from the checkout in PYTORCH_REPO_PATH.

    FILE names kernel files of aten/src/ATen/native/cuda, or patterns; without any, all that the table uses.
    """
    if only_patch:
        click.echo(_PATCH)
        return
    # Imported here, because they import torch, which the other commands do not need.
    from ..environment.torch_info import TorchInfo
    from ..system.install_hints import INSTALL_SIMULATED_DEVICE
    from ..torch_kernels.build import build
    from ..torch_kernels.checkout import Checkout
    from ..torch_kernels.folder import clean, has_own_kernels
    from ..torch_kernels.options import Options

    debug, asan = debug or _truth("DEBUG"), asan or _truth("USE_ASAN")
    options = Options(output.absolute(), fp64, debug, asan, jobs, names, install=not no_install)
    if cleaning:
        removed = clean(options)
        click.echo("\n".join(f"removed {path}" for path in removed) or "nothing to remove")
        return
    version = TorchInfo.find().version
    report = build(Checkout.find(os.environ, version), version, options)
    if not has_own_kernels():
        click.echo(_NO_OPERATORS.format(INSTALL_SIMULATED_DEVICE), err=True)
    if as_json:
        click.echo(json.dumps(report.as_json(), indent=1))
        return
    click.echo(report.as_table(every_file=bool(names)))
    click.echo(f"library: {report.library}" if report.library else "no file could be linked, so there is no library")
