"""`make fuzz`: compare random kernels with an interpreter until enough of them ran."""

from __future__ import annotations

import argparse
import os
import secrets
import subprocess
import sys
import time
from pathlib import Path

from . import finds
from .programs import Compiler


def main() -> int:
    """Run it; return 1 if a kernel fails."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--programs", type=int, default=10000, help="kernels to run")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="end after so many seconds")
    parser.add_argument("--seed", default="", help="continue the search of a seed; default: a new one")
    parser.add_argument("--folder", type=Path, default=Path("build/fuzz"), help="for finds")
    parser.add_argument("--root", type=Path, help="an SDK to test; default: this checkout's")
    parser.add_argument("--reduce-seconds", type=float, default=240, help="to reduce one find")
    arguments = parser.parse_args()
    seed = arguments.seed or secrets.token_hex(4)
    folder = arguments.folder / seed
    compiler = Compiler(arguments.root or _root(), folder / "programs")
    done_file = folder / "batches"
    first = int(done_file.read_text()) if done_file.exists() else 0
    batches = -(-arguments.programs // finds.BATCH)
    finds.report(f"seed {seed}: {arguments.programs} programs, {first * finds.BATCH} of them done; finds in {folder}")
    start, number, known = time.monotonic(), len(list(folder.glob("find-*"))), set()
    for batch in range(first, batches):
        for find in finds.search(compiler, seed, batch, finds.BATCH):
            summary = find.failure.summary
            if find.failure.kind == "compile" and summary in known:
                continue
            known.add(summary)
            finds.report(f"{find.seed}: {summary}; reducing it")
            small = find.smaller(compiler, arguments.reduce_seconds)
            number += 1
            small.write(folder / f"find-{number}", small.levels(compiler))
            finds.report(f"wrote {folder}/find-{number}: {small.failure.detail.strip().splitlines()[0]}")
        done_file.write_text(str(batch + 1))
        passed = time.monotonic() - start
        if batch % 10 == 9 or batch == batches - 1:
            count = (batch + 1 - first) * finds.BATCH
            seconds = sum(os.times()[:4])
            finds.report(
                f"{(batch + 1) * finds.BATCH} programs, {number} finds; {count / seconds:.1f} a second of CPU time"
            )
        if passed > arguments.seconds:
            break
    finds.report(f"{number} finds" + (f" in {folder}; continue with FUZZ_SEED={seed}" if number else ""))
    return 1 if number else 0


def _root() -> Path:
    done = subprocess.run([sys.executable, "-m", "musa_sim", "root"], check=True, capture_output=True, text=True)
    return Path(done.stdout.strip())


if __name__ == "__main__":
    sys.exit(main())
