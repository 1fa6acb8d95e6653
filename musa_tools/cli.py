"""The command ``musa-tools``. Every command imports what it needs when it runs, so ``--help`` is quick."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Optional

import click

from musa_tools.errors import ToolError

_STATUS = "0 if the runs agree, 1 if they differ, 2 if a dump cannot be read or the command is wrong."


def _epilog(*examples: str, status: str) -> str:
    lines = "\n".join(f"  {example}" for example in examples)
    return f"\b\nExamples:\n{lines}\n\nExit status: {status}"


class _Group(click.Group):
    """A group that prints a ToolError as one line and exits with 2."""

    def invoke(self, context: click.Context) -> object:
        try:
            return super().invoke(context)
        except ToolError as error:
            click.echo(f"error: {error}", err=True)
            context.exit(2)


_PATH = click.Path(path_type=Path)


@click.group(
    cls=_Group,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=_epilog(
        "musa-tools compare dump_musa dump_cuda -o result    which call goes wrong first?",
        "musa-tools parse npu_dump.pkl 21_Torch_batch_norm   one call of a dump",
        "musa-tools replay torch.ops.aten.addmm_inputs.pkl   one operator again",
        "musa-tools report result/compare_result_*.json      the page of a comparison again",
        "musa-tools convert -r my_project -l train.py        scripts from CUDA to MUSA",
        status="0 if all is well, 1 if something differs or was not found, 2 if the command cannot do its work.",
    ),
)
def main() -> None:
    """Find out where a model goes wrong, from the files that the tools wrote."""


@main.command(
    epilog=_epilog(
        "musa-tools compare dump_musa dump_cuda -o result",
        "musa-tools compare musa/step0/rank0 cuda/step0/rank --format csv,html -o result",
        "musa-tools compare npu.pkl gpu.pkl --profile ptdbg -o result",
        "musa-tools compare a b --rename module.=  # the first run's model was wrapped",
        "musa-tools compare a b --quiet && echo same",
        status=_STATUS,
    )
)
@click.argument("run", type=_PATH)
@click.argument("reference", type=_PATH)
@click.option("-o", "--output", type=_PATH, help="Folder for the files of the result; it is made.")
@click.option(
    "--format", "formats", default="csv,json,html", show_default=True, help="Which files to write into the folder."
)
@click.option(
    "--profile",
    type=click.Choice(["default", "msprobe", "ptdbg"]),
    default="default",
    show_default=True,
    help="Whose rules and csv columns.",
)
@click.option("--data", type=_PATH, help="Folder with RUN's .npy files, if RUN is a pkl.")
@click.option("--reference-data", type=_PATH, help="Folder with REFERENCE's .npy files.")
@click.option("--rename", multiple=True, metavar="OLD=NEW", help="Replace text in RUN's names. May be repeated.")
@click.option("--quiet", is_flag=True, help="Print nothing.")
def compare(
    run: Path,
    reference: Path,
    output: Optional[Path],
    formats: str,
    profile: str,
    data: Optional[Path],
    reference_data: Optional[Path],
    rename: tuple[str, ...],
    quiet: bool,
) -> None:
    """Compare the dumps of two runs and name the first call that differs.

    RUN is judged, REFERENCE is right. Both are folders of PrecisionDebugger (or a step or rank in them), or files of
    ptdbg_ascend or torch_npu.hooks. A dump of a run that was killed is read up to its last whole call.
    """
    from musa_tools.compare_dumps.command import compare_command

    sys.exit(compare_command(run, reference, output, formats, profile, (data, reference_data), rename, quiet))
