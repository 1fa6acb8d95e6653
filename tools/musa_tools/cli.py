"""The command ``musa-tools``. Every command imports what it needs when it runs, so ``--help`` is quick."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Optional

import click

from musa_tools.errors import ToolError
from musa_tools.terminal import show

_STATUS = "0 if the runs agree, 1 if they differ, 2 if a dump cannot be read or the command is wrong."


def _epilog(*examples: str, status: str) -> str:
    lines = "\n".join(f"  {example}" for example in examples)
    return f"\b\nExamples:\n{lines}\n\nExit status: {status}"


class _Group(click.Group):
    """A group that prints a ToolError as a block and exits with 2; with 130 if it was interrupted."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, each with the first sentence of its help."""
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, command.get_short_help_str(limit=1000)) for name, command in sorted(self.commands.items())]
            )

    def invoke(self, context: click.Context) -> object:
        try:
            return super().invoke(context)
        except ToolError as error:
            show(error)
            context.exit(2)
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
            context.exit(130)


_PATH = click.Path(path_type=Path)


@click.group(
    cls=_Group,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=_epilog(
        "musa-tools compare dump_musa dump_cuda         which call is wrong first?",
        "musa-tools parse dump.pkl 21_Torch_batch_norm  one call of a dump",
        "musa-tools replay aten.addmm_inputs.pkl        one operator again",
        "musa-tools report result/compare_result.json   a comparison again",
        "musa-tools convert -r project -l train.py      scripts from CUDA to MUSA",
        status="0 if all is well, 1 if something differs or was not found, 2 if the command cannot do its work.",
    ),
)
def main() -> None:
    """Find out where a model goes wrong, from the files that the tools wrote."""


@main.command(
    epilog=_epilog(
        "musa-tools compare dump_musa dump_cuda -o result",
        "musa-tools compare a/step0/rank0 b/step0/rank -o result --format csv,html",
        "musa-tools compare npu.pkl gpu.pkl --profile ptdbg -o result",
        "musa-tools compare a b --rename module.=   the first model was wrapped",
        "musa-tools compare a b --quiet && echo same",
        status=_STATUS,
    )
)
@click.argument("run", type=_PATH)
@click.argument("reference", type=_PATH)
@click.option("-o", "--output", type=_PATH, help="Folder for the files of the result; it is made.")
@click.option(
    "--format",
    "formats",
    metavar="LIST",
    help="The files to write into the folder: some of csv, json, html. Default: html, the page.",
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
    formats: Optional[str],
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
    if formats is not None and output is None:
        raise click.UsageError("--format stands with --output only")
    from musa_tools.compare_dumps.command import compare_command

    sys.exit(compare_command(run, reference, output, formats or "html", profile, (data, reference_data), rename, quiet))


@main.command(
    epilog=_epilog(
        "musa-tools parse npu_dump.pkl 21_Torch_batch_norm",
        "musa-tools parse dump/step0 Functional.linear.3",
        status="0 if a call was found, 1 if none, 2 if the dump cannot be read or the command is wrong.",
    )
)
@click.argument("dump", type=_PATH)
@click.argument("prefix")
def parse(dump: Path, prefix: str) -> None:
    """Print the stack and statistics of the calls in DUMP whose names begin with PREFIX."""
    from musa_tools.compare_dumps.command import parse_command

    sys.exit(parse_command(dump, prefix))


@main.command(
    epilog=_epilog(
        "musa-tools report result/compare_result_20261122.json",
        "musa-tools report result/compare_result_20261122.json --html page.html",
        status=_STATUS,
    )
)
@click.argument("result", type=_PATH)
@click.option("--html", type=_PATH, help="Write the page here.")
def report(result: Path, html: Optional[Path]) -> None:
    """Show the comparison in RESULT, a JSON file of musa-tools compare, again."""
    from musa_tools.compare_dumps.command import report_command

    sys.exit(report_command(result, html))


@main.command(
    epilog=_epilog(
        "musa-tools replay dump/torch.ops.aten.addmm_inputs.pkl",
        "musa-tools replay dump/torch.ops.aten.addmm_inputs.pkl --device cpu --nan",
        "musa-tools replay torch.ops.mine.f_inputs.pkl --import mine --atol 0.01",
        "musa-tools replay dump.json --call Functional.linear.3.forward",
        status="0 if the result is good, 1 if it is not, 2 if the operator cannot be run.",
    )
)
@click.argument("inputs", type=_PATH)
@click.option("--op", "operator", help="The operator, as torch.ops.aten.addmm. Without it: what the file says.")
@click.option("--call", "call", help="A call of a dump with whole tensors, as Functional.linear.3.forward.")
@click.option("--device", help="Where to run. Without it: the device that the file names.")
@click.option("--atol", type=float, help="As for CompareWithCPU.")
@click.option("--rtol", type=float, help="As for CompareWithCPU.")
@click.option("--nan", is_flag=True, help="Look for NaN and Inf instead of comparing with the CPU.")
@click.option("--import", "modules", multiple=True, metavar="MODULE", help="Import this first. May be repeated.")
def replay(
    inputs: Path,
    operator: Optional[str],
    call: Optional[str],
    device: Optional[str],
    atol: Optional[float],
    rtol: Optional[float],
    nan: bool,
    modules: tuple[str, ...],
) -> None:
    """Run one operator again with the INPUTS that dump_error_data has written, and compare it with the CPU.

    With --call, INPUTS is a dump of PrecisionDebugger with task="tensor". The call runs again, and its result is
    compared with the saved one.
    """
    if call is not None:
        if operator is not None or nan or modules:
            raise click.UsageError("--call stands with --device, --atol and --rtol only")
        from musa_tools.replay_call import replay_call

        sys.exit(replay_call(inputs, call, device, (atol, rtol)))
    if inputs.is_dir() or inputs.name in ("dump.json", "dump.jsonl.part"):
        raise ToolError(f"{inputs} is a dump", hint="say which call of it: --call Functional.linear.3.forward")
    from musa_tools.replay import replay as run

    sys.exit(run(inputs, operator, device, (atol, rtol), nan, modules))


@main.command(context_settings={"ignore_unknown_options": True, "help_option_names": []}, add_help_option=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def convert(arguments: tuple[str, ...]) -> None:
    """Convert Python scripts from CUDA to MUSA; the same as musa-converter, which torch_musa has, too."""
    from musa_tools.convert import command_line

    sys.exit(command_line.main(list(arguments)))
