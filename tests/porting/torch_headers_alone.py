"""Every ported header of PyTorch in a file of its own, through the simulated SDK's compiler.

    make torch-headers        # an hour on one core; writes docs/porting-torch-headers.md

The headers are those that an extension is compiled with: the ones that the installed torch_musa ships. A test compiles
a few of them each time (test_porting_torch_headers.py).
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import sysconfig
import tempfile
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple, Optional

import click

from musa_build.environment.torch_info import TorchMusa
from musa_build.porting.pytorch.headers import torch_include

PAGE = Path(__file__).parents[2] / "docs" / "porting-torch-headers.md"

# Headers that PyTorch's kernels include before such headers, which rely on them.
PRELUDES = (
    ("ATen/core/Tensor.h",),
    ("ATen/native/musa/Loops.muh",),
    ("musa.h", "ATen/core/Tensor.h"),
    ("ATen/native/Resize.h",),
)

# The first error of a header that fails -> why. {0} is the pattern's group.
REASONS = (
    (r"'(?:cutlass|cute)/[^']*' file not found|'CUTLASS_", "needs CUTLASS, which PyTorch has in its sources only"),
    (r"'namespace_config\.h' file not found", "needs flash-attention, which PyTorch has in its sources only"),
    (r"'(torch_musa/[^']*)' file not found", "needs `{0}`, which the simulated torch_musa does not have"),
    (r"'(nvtx3/[^']*|nvml\.h|cufile\.h|cudnn[^']*|cusparseLt\.h)' file not found", "needs NVIDIA's `{0}`"),
    (r"'((?:ATen|torch|c10|caffe2)/[^']*)' file not found", "needs `{0}`, which a torch for the CPU does not have"),
    (r"'(glog/[^']*)' file not found", "needs `{0}`, which an installed torch does not bring"),
    (r"not meant to be individually included", "says that it must not be included alone"),
    (r"'([^']*)' file not found", "needs `{0}`, which the simulated SDK does not have"),
    (
        r"(?:unknown type name|undeclared identifier) '(mu[a-z]+\w+|MUSA_\w+|__[a-z]\w+2\w+)'",
        "needs `{0}`, which the simulated SDK does not declare",
    ),
    (
        r"no (?:member|type) named '\w+' in namespace '(c10::musa::MUSACachingAllocator|at::musa::blas)'",
        "needs more of `{0}` than the simulated torch_musa has",
    ),
    (r"'currentStreamCaptureStatus", "needs capture of streams, which the simulated torch_musa does not have"),
    (r"'at_cuda_detail'", "needs `-DCUB_WRAPPED_NAMESPACE=at_cuda_detail`, which PyTorch's own build says"),
    (r"(?:instruction|asm)[^\n]*", "holds assembly for NVIDIA's GPUs"),
)


class Result(NamedTuple):
    """The result for one header: `reason` is empty where it compiles alone."""

    header: str
    reason: str
    error: str = ""


class Compiler:
    """The simulated SDK's mcc, with the include folders of an extension for PyTorch."""

    def __init__(self, sdk_root: Path) -> None:
        torch_musa = TorchMusa.find()
        if torch_musa is None or not torch_musa.ported_include_dirs:
            raise SystemExit("the simulated torch_musa is not installed: make env")
        self.ported = torch_musa.ported_include_dirs[0]
        torch = torch_include()
        folders = [self.ported, torch_musa.include_dir, torch, torch / "torch/csrc/api/include"]
        folders.append(Path(sysconfig.get_path("include")))
        self._command = [str(sdk_root / "bin/mcc"), "-fsyntax-only", "-std=c++20", "-w", "-U__CUDA__"]
        self._command += [word for folder in folders for word in ("-I", str(folder))]
        # As PyTorch's own build and musa_build tell every CUDA source: c10::Half has operators enough.
        names = ("HALF_OPERATORS", "HALF_CONVERSIONS", "HALF2_OPERATORS", "BFLOAT16_CONVERSIONS")
        self._command += [f"-D__MUSA_NO_{name}__" for name in names]

    def errors(self, *headers: str, options: Sequence[str] = ()) -> list[str]:
        """Return the errors of a file that includes `headers`."""
        with tempfile.TemporaryDirectory() as scratch:
            unit = Path(scratch) / "unit.mu"
            unit.write_text("".join(f"#include <{header}>\n" for header in headers))
            command = [*self._command, *options, str(unit)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return []
        return re.findall(r"\berror: ([^\n]*)", done.stderr) or [done.stderr.strip()[-200:] or "no message"]


def headers_below(ported: Path) -> list[str]:
    """All ported headers, by the paths that sources include them by."""
    return sorted(path.relative_to(ported).as_posix() for path in ported.rglob("*") if path.is_file())


def result_of(header: str, compiler: Compiler) -> Result:
    """Compile one header alone and, if it fails, find out why."""
    errors = compiler.errors(header)
    if not errors:
        return Result(header, "")
    for pattern, reason in REASONS:
        match = re.search(pattern, errors[0])
        if match is not None:
            return Result(header, reason.format(*match.groups()), errors[0])
    for prelude in PRELUDES:
        if not compiler.errors(*prelude, header):
            names = " and ".join(f"`{name}`" for name in prelude)
            return Result(header, f"leaves out includes: compiles after {names}", errors[0])
    if (torch_include() / header).is_file() and compiler.errors(header, options=("-x", "c++")):
        return Result(header, "PyTorch's own file does not compile alone either", errors[0])
    return Result(header, "", errors[0])


def page(results: Sequence[Result], versions: str) -> str:
    """Return the page for docs/."""
    failed = [result for result in results if result.error]
    counts = Counter(result.reason or "not explained" for result in failed)
    lines = [
        "# PyTorch's ported headers, each compiled on its own",
        "",
        f"Written by `make torch-headers`, with {versions}. Each header that `musa-build port --torch-headers` makes",
        "stands in a file of its own and goes through the simulated SDK's mcc (`-fsyntax-only`, host and device).",
        "Nothing here was verified on MUSA hardware.",
        "",
        f"**{len(results) - len(failed)} of {len(results)}** compile. The others, and the first thing that stops them:",
        "",
        "| reason | headers |",
        "|---|---|",
        *(f"| {reason} | {count} |" for reason, count in counts.most_common()),
        "",
        "| header | reason | first error |",
        "|---|---|---|",
        *(f"| `{r.header}` | {r.reason or 'not explained'} | `{r.error.replace('|', '/')}` |" for r in failed),
    ]
    return "\n".join(lines) + "\n"


@click.command()
@click.option("--jobs", default=1, help="headers at a time")
@click.option("--only", default="", help="headers whose path holds this text; the page is then printed")
@click.option("--results", type=click.Path(path_type=Path), help="keep results here; do not make those in it again")
def main(jobs: int, only: str, results: Optional[Path]) -> None:
    """Compile all headers and write the page."""
    import torch

    root = subprocess.run([sys.executable, "-m", "musa_sim", "root"], capture_output=True, text=True, check=True)
    compiler = Compiler(Path(root.stdout.strip()))
    headers = [header for header in headers_below(compiler.ported) if only in header]
    lines = results.read_text().splitlines() if results is not None and results.exists() else []
    kept = [Result(*json.loads(line)) for line in lines]
    known = {result.header: result for result in kept if result.reason or not result.error}
    missing = [header for header in headers if header not in known]
    with ThreadPoolExecutor(jobs) as pool:
        for number, result in enumerate(pool.map(lambda header: result_of(header, compiler), missing), 1):
            print(f"[{number}/{len(missing)}] {result.header} {result.error}", flush=True)
            known[result.header] = result
            if results is not None:
                with results.open("a") as stream:
                    stream.write(json.dumps(result) + "\n")
    text = page([known[header] for header in headers], f"PyTorch {torch.__version__.partition('+')[0]}")
    if only:
        print(text)
    else:
        PAGE.write_text(text)


if __name__ == "__main__":
    main()
