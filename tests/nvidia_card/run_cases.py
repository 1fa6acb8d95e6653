"""Run the compiled cases of a bundle on this machine's card, and write what came out.

    python3 run_cases.py BUNDLE --out RECORDS [--limit SECONDS] [--within SECONDS] [--jobs N]

A bundle is what bundle.py makes. This script needs Python's standard library alone: a machine with a card may have
nothing else. Every run is a process of its own with a time limit; one that hangs or crashes is recorded as that. The
record is RECORDS/NAME-OF-THE-CARD.json.
"""

from __future__ import annotations

import argparse
import base64
import json
import math
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

LONGEST = 12_000  # bytes; of longer output that is no text every n-th element is kept
SHOWN = 200  # characters of the end of stderr
PIECE = 64  # bytes that are an element where the type is not known


def run(command, stdin, limit):
    """Return (status, stdout, stderr). The status is "time limit" for one that was stopped, with all it had started."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        stdout, stderr = process.communicate(stdin, timeout=limit)
        return process.returncode, stdout, stderr
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return "time limit", b"", b""


def thinned(stdout, dtype):
    """Return every n-th element of long output, and n."""
    if len(stdout) <= LONGEST or (not dtype and stdout.isascii() and b"\0" not in stdout):
        return stdout, 1
    size = int(re.search(r"\d+", dtype).group()) if dtype else PIECE
    stride = -(-len(stdout) // LONGEST)
    kept = b"".join(stdout[at : at + size] for at in range(0, len(stdout), size * stride))
    return kept, stride


def outcome(bundle, case, limit):
    """Run one case and return its entry in the record."""
    stdin = (bundle / "inputs" / case["input"]).read_bytes() if case["input"] else b""
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "record"
        arguments = [word.replace("{file}", str(path)) for word in case["arguments"]]
        status, stdout, stderr = run([str(bundle / case["executable"]), *arguments], stdin, limit)
        stdout, stride = (path.read_bytes(), 1) if path.exists() else thinned(stdout, case["dtype"])
    entry = {"status": status, "stdout": base64.b64encode(zlib.compress(stdout, 9)).decode()}
    if status and stderr:  # for the reader of the record
        entry["stderr"] = stderr.decode(errors="replace").strip()[-SHOWN:]
    if case["dtype"]:
        entry["dtype"] = case["dtype"]
    if stride > 1:
        entry["stride"] = stride
    return entry


def card_of(bundle, limit):
    """Return the card's name and compute capability; None without a card."""
    status, stdout, _ = run([str(bundle / "programs" / "card")], b"", limit)
    return json.loads(stdout) if status == 0 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bundle", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--limit", type=float, default=60, help="seconds for each run (default: 60)")
    parser.add_argument("--within", type=float, default=math.inf, help="begin no run after so many seconds")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="runs at once (default: all cores)")
    chosen = parser.parse_args()
    content = json.loads((chosen.bundle / "cases.json").read_text())
    card = card_of(chosen.bundle, chosen.limit)
    if card is None:
        print("no card: carry", chosen.bundle, "to a machine that has one, and run this script there")
        return 2
    record = {"card": card, "compiler": content["compiler"], "cases": {}}
    end = time.monotonic() + chosen.within

    def in_time(case):
        return outcome(chosen.bundle, case, chosen.limit) if time.monotonic() < end else None

    # most of a run's time is the start of the driver, in which the card does nothing
    with ThreadPoolExecutor(chosen.jobs) as pool:
        for number, (case, entry) in enumerate(zip(content["cases"], pool.map(in_time, content["cases"])), 1):
            if sys.stdout.isatty():
                print(f"\r{number} of {len(content['cases'])}", end="", flush=True)
            if entry is not None:
                record["cases"][case["key"]] = entry
    chosen.out.mkdir(parents=True, exist_ok=True)
    path = chosen.out / (re.sub(r"[^A-Za-z0-9]+", "-", card["name"]).strip("-").lower() + ".json")
    path.write_text(json.dumps(record, indent=0, sort_keys=True) + "\n")
    stopped = [key for key, entry in record["cases"].items() if entry["status"] == "time limit"]
    left = len(content["cases"]) - len(record["cases"])
    print(f"not run in time: {left}" if left else "all were run")
    print(
        f"{path}: {len(record['cases'])} runs on {card['name']} ({card['capability']})", *stopped, sep="\n  stopped: "
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
