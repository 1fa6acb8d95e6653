"""The command `python -m tests.kernels.opinfo`."""

from __future__ import annotations

import argparse
import difflib
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Optional

import torch

from .catalogue import operators, types_of
from .examine import Outcome
from .workers import Job, Settings, outcomes

#: Operators that the CPU may compute although the kernel library is installed. It only shrinks.
ALLOWED = Path(__file__).parents[1] / "fallbacks.txt"
EXAMPLES = """
examples:
  python -m tests.kernels.opinfo --ops add,mul             # their forms, all types, all samples
  python -m tests.kernels.opinfo --ops exp --dtypes float32,float16 --samples 3 --grad
  python -m tests.kernels.opinfo --ops sum --strict        # no fallback may be used, whatever the list allows

exit status: 0, or 1 if an operator differs from the CPU or uses a fallback that fallbacks.txt does not have
"""


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.kernels.opinfo",
        description="Compare the operators of PyTorch's database on the musa device with the CPU.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--ops", help="names in the database, with commas; `name` also means `name/variant`")
    parser.add_argument("--dtypes", default="all", help="names of types, with commas (default: all)")
    parser.add_argument("--samples", type=int, help="how many of each operator and type (default: all)")
    parser.add_argument("--grad", action="store_true", help="compare gradients, too")
    parser.add_argument("--strict", action="store_true", help="allow no fallback")
    parser.add_argument("--verbose", action="store_true", help="a line for every operator and type")
    return parser.parse_args()


def jobs(names: Optional[str], dtypes: str) -> list[Job]:
    """Return the operators and types to examine.

    Raises:
        SystemExit: A name is unknown.
    """
    known = operators()
    wanted = None if dtypes == "all" else {dtype_named(name) for name in dtypes.split(",")}
    chosen = list(known) if names is None else []
    for name in (names or "").split(",") if names is not None else []:
        found = [each for each in known if name in (each, each.split("/")[0])]
        if not found:
            close = difflib.get_close_matches(name, known, 3)
            sys.exit(f"the database has no operator {name!r}" + (f"; similar: {', '.join(close)}" if close else ""))
        chosen += found
    return [Job(name, str(dtype).split(".")[1]) for name in chosen for dtype in types_of(known[name], wanted)]


def dtype_named(name: str) -> torch.dtype:
    dtype = getattr(torch, name, None)
    if not isinstance(dtype, torch.dtype):
        sys.exit(f"PyTorch has no type {name!r}; write float32, int64, ...")
    return dtype


def forbidden(outcome: Outcome, strict: bool) -> list[str]:
    """Return the operators that the CPU computed and should not have.

    An operator that has a kernel is counted for sparse tensors only, which have none.
    """
    kinds = torch.musa.operator_kinds()
    allowed = set() if strict else set(ALLOWED.read_text(encoding="utf-8").split())
    return sorted(name for name in outcome.fallbacks if kinds[name] == "fallback" and name not in allowed)


def main() -> int:
    choice = arguments()
    begin = time.monotonic()
    failed = compared = samples = 0
    computed_by_cpu: Counter[str] = Counter()
    skipped: list[str] = []
    for job, outcome in outcomes(jobs(choice.ops, choice.dtypes), Settings(choice.samples, choice.grad)):
        name = f"{job.operator} {job.dtype}"
        problems = outcome.problems + [f"fallback: {each}" for each in forbidden(outcome, choice.strict)]
        compared += bool(outcome.samples)
        samples += outcome.samples
        computed_by_cpu.update(outcome.fallbacks)
        if problems:
            failed += 1
            more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
            print(f"FAILED {name}: {problems[0]}{more}", flush=True)
        elif choice.verbose:
            by = f", the CPU computed {', '.join(outcome.fallbacks)}" if outcome.fallbacks else ""
            print(f"ok     {name}: {outcome.samples} samples{by}", flush=True)
        if outcome.skipped:
            skipped.append(f"{name}: {outcome.skipped}")
    if computed_by_cpu:
        print(f"computed by a fallback, {sum(computed_by_cpu.values())} calls of {len(computed_by_cpu)} operators:")
        for operator, calls in computed_by_cpu.most_common():
            print(f"{calls:8} {operator}")
    for line in skipped:
        print(f"without samples: {line}")
    print(f"{compared} operators x types, {samples} samples, {failed} failed, {time.monotonic() - begin:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
