"""How fast the simulator is: each kernel against the same work as plain C++ loops, in one run, as ratios.

    python benchmarks/simulator.py [--n 4000000] [--rounds 15] [--workers 1]

Process CPU time (all threads), the median over rounds in which every contestant runs once, so that a noisy machine hits
all alike; what two workers gain is wall time, the best of processes that take turns, and needs two idle cores. "loop"
is g++ -O3 for the baseline x86-64, "native" the same with -march=native, "fibers" our own slow path (MUSA_SIM_FIBERS=1:
a fiber per thread, as HIP-CPU does it). Rows of 16-bit numbers are multiples of a loop over _Float16 compiled with
-march=native, since the baseline x86-64 has no instructions for it. The last rows are PyTorch's own kernels, as
multiples of its CPU kernels in one thread; they need torch_musa. Exit status 1 when an answer is wrong.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib.util
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent / "simulator"
KERNELS = {
    "axpy": "elementwise, memory bound",
    "horner": "elementwise, 24 multiply-adds",
    "sigmoid": "elementwise, expf",
    "grid_stride": "grid-stride loop",
    "reverse": "one barrier",
    "tree_sum": "shared-memory tree, 1 element per thread, 9 barriers",
    "usual_sum": "grid-stride sum, then the tree",
}
#: the rows of numbers.mu
NUMBERS = {
    "half_multiply": "elementwise, half",
    "half_fma": "elementwise, __hfma2",
    "half_exp": "elementwise, hexp",
    "bfloat16_multiply": "elementwise, bfloat16",
    "bfloat16_fma": "elementwise, __hfma2 of bfloat16",
    "bfloat16_exp": "elementwise, hexp of bfloat16",
    "in_place": "elementwise, the result is an operand",
    "strided": "one operand transposed, as PyTorch's Loops",
    "gemm": "512 x 512, 16 x 16 tiles in shared memory",
    "histogram": "grid-stride loop, atomics in shared memory",
}
#: the rows of warps.mu
WARPS = {
    "shuffle_sum": "reduction by __shfl_down_sync",
    "shuffle_scan": "block scan by __shfl_up_sync",
    "cub_reduce": "cub::BlockReduce",
    "cub_scan": "cub::BlockScan",
    "tile_sums": "reduction in cooperative groups' tiles of 16",
    "ballot_compact": "__ballot_sync, __popc and one atomicAdd per warp",
    "aggregated_atomics": "the same by coalesced_threads() in a branch",
}
#: the rows of torch_rows.py, as multiples of PyTorch's CPU kernels
TORCH = {
    "torch_loops": "one operand transposed, PyTorch's own Loops",
    "torch_sum": "full sum, PyTorch's own Reduce",
}


# compute bound: what is bound by memory gains nothing from a second core
SHARED = ("horner", "sigmoid", "tree_sum", "usual_sum")


def build(folder: Path, root: Path) -> None:
    sources = [HERE / "kernels.mu", HERE / "numbers.mu", HERE / "warps.mu"]
    flags = ["-O3", "-fPIC", "-shared", "-lmusart", "-o"]
    subprocess.run([root / "bin/mcc", *sources, *flags, folder / "kernels.so"], check=True)
    subprocess.run([root / "bin/mcc", "-march=native", *sources, *flags, folder / "kernels-native.so"], check=True)
    loops: list[str | Path] = ["g++", "-O3", "-fPIC", "-shared", HERE / "loops.cpp", HERE / "numbers.cpp"]
    loops += [HERE / "warps.cpp", "-o"]
    subprocess.run([*loops, folder / "loops.so"], check=True)
    subprocess.run([*loops, folder / "loops-native.so", "-march=native"], check=True)
    subprocess.run([*loops, folder / "loops-openmp.so", "-fopenmp"], check=True)


class Arrays:
    """Inputs on the simulated device, which is this process's memory: both contestants work on the same bytes."""

    def __init__(self, library: ctypes.CDLL, n: int) -> None:
        library.device_array.restype = ctypes.c_void_p
        self.n = n
        self.pointers = [ctypes.c_void_p(library.device_array(n)) for _ in range(3)]
        self.a, self.b, self.c = (
            np.ctypeslib.as_array(ctypes.cast(p, ctypes.POINTER(ctypes.c_float)), (n,)) for p in self.pointers
        )
        self.fill("")

    def fill(self, name: str) -> None:
        """Write the inputs of a row in its type; halves and bfloat16s fill the first half of the memory."""
        random = np.random.default_rng(0)
        for array in (self.a, self.b):
            values = random.uniform(-1, 1, self.n).astype(np.float32)
            if name.startswith("half"):
                array.view(np.float16)[: self.n] = values
            elif name.startswith("bfloat16"):
                array.view(np.uint16)[: self.n] = values.view(np.uint32) >> 16
            else:
                array[:] = values


def measure(function: object, name: str, arrays: Arrays) -> float:
    start = time.process_time()
    function(name.encode(), *arrays.pointers, ctypes.c_int(arrays.n))  # type: ignore[operator]
    return time.process_time() - start


def function_of(library: ctypes.CDLL, name: str) -> object:
    kind = "loop" if hasattr(library, "loop") else "launch"
    part = "_numbers" if name in NUMBERS else "_warps" if name in WARPS else ""
    return getattr(library, f"{kind}{part}")


def check(name: str, ours: np.ndarray, theirs: np.ndarray) -> bool:
    if name == "histogram":
        return bool((ours.view(np.uint32)[:256] == theirs.view(np.uint32)[:256]).all())
    if name == "gemm":
        return bool(np.allclose(ours[: 512 * 512], theirs[: 512 * 512], rtol=1e-4, atol=1e-3))
    if name.startswith(("half", "bfloat16")):
        bits, wanted = ours.view(np.uint16)[: ours.size], theirs.view(np.uint16)[: ours.size]
        # the loops round a sum of a product twice
        return bool((bits != wanted).mean() < 0.01)
    if name == "usual_sum":
        ours, theirs = ours[:128].sum(keepdims=True), theirs[:1]
    if name in ("ballot_compact", "aggregated_atomics"):  # the order is the threads' affair
        ours, theirs = np.sort(ours), np.sort(theirs)
    if name in ("tree_sum", "shuffle_sum", "cub_reduce"):
        blocks = -(-ours.size // 256)
        ours, theirs = ours[:blocks], theirs[:blocks]
    return bool(np.allclose(ours, theirs, rtol=1e-4, atol=1e-1 if "sum" in name else 1e-5))


def run_child(folder: Path, args: argparse.Namespace) -> int:
    """All contestants in one process; fibers or not is decided by the environment it was started with."""
    ours, native = (ctypes.CDLL(str(folder / f"{name}.so")) for name in ("kernels", "kernels-native"))
    loops = {name: ctypes.CDLL(str(folder / f"{name}.so")) for name in ("loops", "loops-native", "loops-openmp")}
    arrays = Arrays(ours, args.n)
    wrong = 0
    for name in (*KERNELS, *NUMBERS, *WARPS):
        arrays.fill(name)
        libraries = {"sim": ours, "sim-native": native, **loops}
        if args.fibers:
            libraries = {"fibers": ours, "loops": loops["loops"]}
        contestants = {who: function_of(library, name) for who, library in libraries.items()}
        start = 1 if name == "in_place" else 0
        times: dict[str, list[float]] = {who: [] for who in contestants}
        arrays.c[:] = start
        measure(contestants["loops"], name, arrays)
        wanted = arrays.c.copy()
        arrays.c[:] = start
        measure(next(iter(contestants.values())), name, arrays)
        good = check(name, arrays.c, wanted)
        wrong += not good
        for _ in range(args.rounds):
            for who, function in contestants.items():
                if name == "in_place":
                    arrays.c[:] = 1
                times[who].append(measure(function, name, arrays))
        median = {who: statistics.median(values) for who, values in times.items()}
        print("\t".join([name, str(good), *(f"{who}={value:.6f}" for who, value in median.items())]))
    if not args.fibers:
        small = Arrays(ours, 1)
        small.n = 2000
        barrier = statistics.median(measure(ours.launch, "barriers", small) for _ in range(args.rounds)) / 2000 / 256
        launches = 2000
        start = time.process_time()
        for _ in range(launches):
            ours.launch(b"empty", *small.pointers, ctypes.c_int(0))
        launch = (time.process_time() - start) / launches
        start = time.process_time()
        for _ in range(launches):
            ours.launch(b"-", *small.pointers, ctypes.c_int(0))
        call = (time.process_time() - start) / launches
        print(f"barrier\tTrue\tnanoseconds={barrier * 1e9:.2f}")
        print(f"launch\tTrue\tmicroseconds={(launch - call) * 1e6:.2f}")
    return wrong


def run_timed_child(folder: Path, args: argparse.Namespace) -> int:
    """Print the shortest wall time of each shared kernel, ours and OpenMP's. The environment sets the workers."""
    ours, openmp = ctypes.CDLL(str(folder / "kernels.so")), ctypes.CDLL(str(folder / "loops-openmp.so"))
    arrays = Arrays(ours, args.n)
    for name in SHARED:
        for who, function in (("sim", ours.launch), ("OpenMP", openmp.loop)):
            times = []
            for _ in range(args.rounds):
                start = time.perf_counter()
                function(name.encode(), *arrays.pointers, ctypes.c_int(args.n))
                times.append(time.perf_counter() - start)
            print(f"{name}\t{who}\t{min(times):.6f}")
    return 0


def gain_of_two_workers(command: list[str]) -> dict[tuple[str, str], float]:
    """How many times as fast (kernel, who) becomes: processes with one worker and with two take turns."""
    best: dict[str, dict[tuple[str, str], float]] = {"1": {}, "2": {}}
    for _ in range(5):
        for workers, shortest in best.items():
            env = {**os.environ, "MUSA_SIM_THREADS": workers, "OMP_NUM_THREADS": workers}
            run = subprocess.run([*command, "--timed"], env=env, capture_output=True, text=True, check=True)
            for name, who, seconds in (line.split("\t") for line in run.stdout.splitlines()):
                shortest[name, who] = min(float(seconds), shortest.get((name, who), float("inf")))
    return {key: seconds / best["2"][key] for key, seconds in best["1"].items()}


def run_torch_rows(folder: Path, root: Path, args: argparse.Namespace) -> list[str]:
    """Print the rows of PyTorch's own kernels; return those whose answers are wrong."""
    if importlib.util.find_spec("torch_musa") is None:
        print("PyTorch's own kernels: not measured, torch_musa is not installed")
        return []
    environment = {**os.environ, "MUSA_HOME": str(root), "MUSA_SIM_THREADS": "1"}
    command = [sys.executable, HERE / "torch_rows.py", folder / "torch", str(args.rounds)]
    run = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    rows = [line.split("\t") for line in run.stdout.splitlines() if line.startswith(tuple(TORCH))]
    if not rows:
        return list(TORCH)
    print("CPU time as a multiple of PyTorch's CPU kernel, one thread each")
    for name, _, *values in rows:
        kernel, _, count = name.rpartition("_")
        cpu, ours = (float(value.partition("=")[2]) for value in values)
        print(f"{kernel:18}{ours / cpu:14.2f}   {TORCH[kernel]}, {count} floats")
    return [name for name, good, *_ in rows if good != "True"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=4_000_003, help="floats per array")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--workers", type=int, default=1, help="threads of the simulator and of OpenMP")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--fibers", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--timed", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        return run_timed_child(args.child, args) if args.timed else run_child(args.child, args)

    root = Path(
        subprocess.run(
            [sys.executable, "-m", "musa_sim", "root"], capture_output=True, text=True, check=True
        ).stdout.strip()
    )
    rows: dict[str, dict[str, float]] = {}
    wrong = []
    with tempfile.TemporaryDirectory() as made:
        build(Path(made), root)
        for fibers in (False, True):
            env = {
                **os.environ,
                "MUSA_SIM_THREADS": str(args.workers),
                "OMP_NUM_THREADS": str(args.workers),
                **({"MUSA_SIM_FIBERS": "1"} if fibers else {}),
            }
            command = [sys.executable, __file__, "--child", made, "--n", str(args.n), "--rounds", str(args.rounds)]
            run = subprocess.run(
                [*command, *(["--fibers"] if fibers else [])], env=env, capture_output=True, text=True, check=False
            )
            sys.stderr.write(run.stderr)
            for line in run.stdout.splitlines():
                name, good, *values = line.split("\t")
                wrong += [] if good == "True" else [name]
                measured = {who: float(value) for who, value in (item.split("=") for item in values)}
                if fibers:  # another process: scale by the loop that both ran
                    rows[name]["fibers"] = measured["fibers"] / measured["loops"] * rows[name]["loops"]
                else:
                    rows[name] = measured
        gains = gain_of_two_workers(command)
        wrong += run_torch_rows(Path(made), root, args)
    print(f"CPU time as a multiple of the plain loop; {args.n} floats, {args.workers} worker(s), {args.rounds} rounds")
    columns = ["sim", "sim-native", "fibers", "loops-native", "loops-openmp"]
    print(f"{'':18}" + "".join(f"{column:>14}" for column in columns))
    for name, meaning in {**KERNELS, **NUMBERS, **WARPS}.items():
        floor = rows[name]["loops"]
        if name.startswith(("half", "bfloat16")):
            floor = rows[name.replace("bfloat16", "half")]["loops-native"]
        print(f"{name:18}" + "".join(f"{rows[name][column] / floor:14.2f}" for column in columns) + f"   {meaning}")
    print(f"one barrier, per thread: {rows['barrier']['nanoseconds']:.1f} ns")
    print(f"an empty launch and its synchronisation: {rows['launch']['microseconds']:.2f} us")
    shown = (f"{name} {gains[name, 'sim']:.2f} (OpenMP {gains[name, 'OpenMP']:.2f})" for name in SHARED)
    print("two workers, wall time, times as fast as one: " + ", ".join(shown))
    if wrong:
        print("WRONG ANSWERS: " + ", ".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
