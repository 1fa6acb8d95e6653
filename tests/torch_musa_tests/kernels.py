"""torch_musa's own kernels through the simulated SDK's compiler: a table.

    pip download --no-deps torch==2.7.1 && unzip torch-*.whl 'torch/*' 'torchgen/*' -d torch-2.7.1
    python tests/torch_musa_tests/kernels.py --checkout /path/to/torch_musa --torch torch-2.7.1  # docs/peer-kernels.md
    ... --pytorch /path/to/pytorch --only SparseCsrTensorMath   # which includes headers that only this checkout has

The `.mu` files of a checkout are compiled as they are, with the flags of its CMake files, PyTorch's headers of the
version that it is for, ported, and what the generator makes of its musa_functions.yaml. Nothing is linked or run: they
are parts of torch_musa's library. Of PyTorch's sources, aten/src/ATen/native/sparse/cuda is enough.
Exits with 1 if a file did not compile for a reason that REASONS does not know.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

import click

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "peer-kernels.md"
LLVM_OPTIONS = ("-mtgpu-enable-const-calc", "-mtgpu-if-convert", "-enable-post-misched", "-mtgpu-load-store-opt")
DEFINITIONS = (
    "AT_DISABLE_JITERATOR",
    "CUB_WRAPPED_NAMESPACE=at_cuda_detail",
    "HAVE_AVX2_CPU_DEFINITION",
    "HAVE_AVX512_CPU_DEFINITION",
)
FLAGS = (
    *("-std=c++17", "-w", "-O2", "-fPIC", "-U__CUDA__", "-mathx-disable-fp64"),
    *(word for option in (*LLVM_OPTIONS, "-enable-ldma-index") for word in ("-mllvm", option)),
    *(f"-D{name}" for name in DEFINITIONS),
)
ABOUT = """\
Written by `python tests/torch_musa_tests/kernels.py --checkout ... --torch ...`. The `.mu` files of Moore Threads'
torch_musa {version}, unchanged, compiled by the simulated SDK's mcc with the flags of its CMake files, with PyTorch
{version}'s headers, ported, and with what `musa_codegen` makes of its `musa_functions.yaml`. Nothing was linked or run:
they are parts of torch_musa's library. Nothing here was verified on MUSA hardware."""
_SPARSE = "includes three headers that only PyTorch's sources have (aten/src/ATen/native/sparse/cuda)"
REASONS = {"SparseCsrTensorMath.mu": _SPARSE}
#: remarks on files that compile
NOTES = {"SparseCsrTensorMath.mu": f"{_SPARSE}: with those of another commit, of which it calls nothing"}


@dataclass(frozen=True)
class Compiled:
    """The outcome of a file: the compiler's first error, or an empty string, and its CPU seconds."""

    file: str
    error: str
    seconds: float


@dataclass(frozen=True)
class Compiler:
    """mcc with the include folders of one checkout."""

    mcc: Path
    includes: tuple[Path, ...]

    def compile(self, checkout: Path, file: str, output: Path) -> Compiled:
        words = [*FLAGS, *(f"-I{folder}" for folder in self.includes), "-c", str(checkout / file), "-o", str(output)]
        before = os.times()
        done = subprocess.run([str(self.mcc), *words], capture_output=True, text=True, check=False)
        after = os.times()
        seconds = after.children_user + after.children_system - before.children_user - before.children_system
        return Compiled(file, first_error(done.stderr, checkout) if done.returncode else "", seconds)


def first_error(message: str, checkout: Path) -> str:
    found = re.search(r"error: (.*)", message)
    return (found[1] if found else message.strip().splitlines()[-1]).replace(f"{checkout}/", "")


def prepare(checkout: Path, torch: Path, pytorch: Optional[Path], folder: Path) -> Compiler:
    """Port PyTorch's headers, those of its sources where they are given, and generate torch_musa's declarations.

    Raises:
        UsageError: `torch` is not of the version that the checkout is for.
    """
    wanted = (checkout / "version.txt").read_text().strip()
    version = torch / "torch" / "version.py"
    found = re.search(r"__version__ = '([\d.]+)", version.read_text()) if version.is_file() else None
    if found is None or found[1] != wanted:
        has = f"PyTorch {found[1]}" if found else "no torch/version.py"
        raise click.UsageError(f"{torch} has {has}; torch_musa {wanted} wants that of PyTorch {wanted}")
    include = torch / "torch" / "include"
    sources = ["--pytorch", str(pytorch)] if pytorch else []
    run(["musa_build", "port", "--torch-headers", str(include), *sources, "-o", str(folder / "ported")], {})
    yaml = checkout / "torch_musa" / "csrc" / "aten" / "ops" / "musa_functions.yaml"
    path = os.pathsep.join([str(torch), str(ROOT / "backend" / "codegen")])
    run(["musa_codegen", str(yaml), "--skip-unknown", "-o", str(folder / "generated")], {"PYTHONPATH": path})
    root = Path(run(["musa_sim", "root"], {}).strip())
    api = Path("torch", "csrc", "api", "include")
    ported = folder / "ported" / "include"
    own = checkout / "torch_musa" / "csrc" / "aten" / "ops" / "musa"
    python = Path(sysconfig.get_path("include"))
    includes = (folder / "generated", checkout, ported, ported / api, include, include / api, own, python)
    return Compiler(root / "bin" / "mcc", (*includes, *([folder / "ported" / "aten" / "src"] if pytorch else [])))


def run(module: list[str], environment: dict[str, str]) -> str:
    """Run a Python module and return what it printed."""
    command = [sys.executable, "-m", *module]
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=False)
    if done.returncode:
        raise click.ClickException(f"{' '.join(command)} failed:\n{done.stderr}")
    return done.stdout


def rows_of(text: str) -> dict[str, str]:
    """Return the rows of a page, by their files."""
    return {found[1]: found[0] for found in re.finditer(r"^\| (\S+\.mu) \|.*$", text, re.MULTILINE)}


def row(compiled: Compiled) -> tuple[str, str]:
    """Return the file as the page names it, and its row."""
    note = NOTES.get(Path(compiled.file).name, "")
    why = f"{reason(compiled)}: `{compiled.error}`" if compiled.error else note
    name = compiled.file.replace("torch_musa/csrc/", "")
    return name, f"| {name} | {'no' if compiled.error else 'yes'} | {compiled.seconds:.0f} | {why} |"


def page(rows: dict[str, str], version: str) -> str:
    """Return the page for docs/."""
    good = sum("| yes |" in each for each in rows.values())
    lines = [
        "# torch_musa's own kernels",
        "",
        *ABOUT.format(version=version).splitlines(),
        "",
        f"**{good} of {len(rows)}** compile.",
        "",
        "| file | compiles | CPU seconds | |",
        "|---|---|--:|---|",
    ]
    lines += [rows[name] for name in sorted(rows)]
    return "\n".join(lines) + "\n"


def reason(compiled: Compiled) -> str:
    return REASONS.get(Path(compiled.file).name, "not explained")


@click.command()
@click.option("--checkout", required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--torch", required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--pytorch", type=click.Path(exists=True, file_okay=False, path_type=Path), help="PyTorch's sources")
@click.option("--only", default="", help="files whose path holds this text; the page keeps its other rows")
@click.option("--write", type=click.Path(path_type=Path), help="write the page there")
def main(checkout: Path, torch: Path, pytorch: Optional[Path], only: str, write: Optional[Path]) -> None:
    """Compile the kernels and write the page."""
    checkout = checkout.resolve()
    files = [path.relative_to(checkout).as_posix() for path in sorted((checkout / "torch_musa").rglob("*.mu"))]
    if not files:
        raise click.UsageError(f"{checkout} has no .mu files; want a checkout of torch_musa")
    done: list[Compiled] = []
    with tempfile.TemporaryDirectory() as folder:
        compiler = prepare(checkout, torch.resolve(), pytorch and pytorch.resolve(), Path(folder))
        for file in (file for file in files if only in file):
            done.append(compiler.compile(checkout, file, Path(folder, "object.o")))
            print(f"{done[-1].seconds:5.0f} s  {file}  {done[-1].error}", file=sys.stderr, flush=True)
    target = write or PAGE
    kept = rows_of(target.read_text(encoding="utf-8")) if only and target.is_file() else {}
    rows = {**kept, **dict(row(each) for each in done)}
    target.write_text(page(rows, (checkout / "version.txt").read_text().strip()), encoding="utf-8")
    sys.exit(any(each.error and reason(each) == "not explained" for each in done))


if __name__ == "__main__":
    main()
