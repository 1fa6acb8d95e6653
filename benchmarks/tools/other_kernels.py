"""Hold the judge of CompareWithCPU against other correct kernels: PyTorch's own for a CPU without vector units.

One process runs PyTorch's database of operators with the plain kernels, without oneDNN, and with MKL's oldest code. It
keeps the arguments and results. A second process judges these results as those of a device. All are right, so every
failure is a false alarm.

    python benchmarks/tools/other_kernels.py [--samples 3] [--only NAME] [--kernels default|avx2]

Half a minute on a free core.
"""

from __future__ import annotations

import argparse
import collections
import io
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any, Optional

import torch
from op_db import Observed, run

from musa_tools.observe.op_facts import facts_of
from musa_tools.rerun.examine import Examination, examine
from musa_tools.rerun.reference import Call
from musa_tools.tensors.operands import mapped

OTHER_LIBRARIES = {"MKL_CBWR": "COMPATIBLE"}


def record(path: Path, only: Optional[str], samples: int) -> None:
    """Run the database and keep every call that can be compared."""
    kept: list[bytes] = []

    class Recorder(Observed):
        def _examine(self, call: Call, outputs: Any, written: tuple[Any, ...]) -> Examination:
            if not call.facts.random and not call.facts.uninitialised:
                values = mapped((call.args, call.kwargs, outputs, written), _copy)
                stream = io.BytesIO()
                try:
                    torch.save((str(call.func), *values), stream)
                except (TypeError, RuntimeError, AttributeError):  # an argument that no file can hold
                    pass
                else:
                    kept.append(stream.getvalue())
            return super()._examine(call, outputs, written)

    torch._C._set_mkldnn_enabled(False)
    run("cpu", only, samples, False, 1, observer=Recorder)
    torch.save(kept, path)


def _copy(leaf: Any) -> Any:
    return leaf.detach().clone() if isinstance(leaf, torch.Tensor) else leaf


def judge(path: Path) -> tuple[int, int, collections.Counter[str]]:
    """Judge what was kept; return how many calls there were, how many were not equal bit for bit, and the failures."""
    calls, close, failures = 0, 0, collections.Counter[str]()
    for kept in torch.load(path, weights_only=False):
        name, args, kwargs, outputs, written = torch.load(io.BytesIO(kept), weights_only=False)
        func = torch.ops
        try:
            for part in name.split("."):
                func = getattr(func, part)
        except AttributeError:  # an operator that PyTorch defines when it is first used
            continue
        verdict = examine(Call(func, facts_of(func), args, kwargs), outputs, written, None).verdict
        calls += 1
        close += verdict.reason.startswith("as good")
        if verdict.status.failed:
            dtype = f" {outputs.dtype}" if isinstance(outputs, torch.Tensor) else ""
            failures[name + dtype] += 1
    return calls, close, failures


def main() -> int:
    """Run both processes and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=3)
    parser.add_argument("--only", help="part of an operator's name")
    parser.add_argument("--kernels", choices=("default", "avx2"), default="default", help="of PyTorch")
    parser.add_argument("--limit", type=int, default=900, help="seconds for the first process (default: 900)")
    parser.add_argument("--record", type=Path, help=argparse.SUPPRESS)  # the first process
    choice = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    if choice.record:
        record(choice.record, choice.only, choice.samples)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "calls.pt"
        command = [sys.executable, __file__, "--samples", str(choice.samples), "--record", str(path)]
        command += ["--only", choice.only] if choice.only else []
        environment = {**os.environ, **OTHER_LIBRARIES, "ATEN_CPU_CAPABILITY": choice.kernels}
        subprocess.run(command, env=environment, check=True, timeout=choice.limit)
        calls, close, failures = judge(path)
    print(f"| calls judged | {calls} |\n|---|---|\n| passed by double precision | {close} |")
    print(f"| false alarms | {sum(failures.values())} of {len(failures)} operators |\n")
    for name, count in failures.most_common():
        print(f"- {name}: {count} times")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
