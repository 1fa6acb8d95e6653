"""Kernels cut into loops between barriers give what fibers give, and are in fact cut."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).with_name("kernels_with_barriers.mu")
KERNELS = (
    "tree",
    "early_exit",
    "two_barriers",
    "nested",
    "stride",
    "stride_64",
    "over_blocks",
    "sum_then_tree",
    "by_value",
    "by_value_called",
    "one_thread",
)


def run(program: Path, **env: str) -> str:
    done = subprocess.run(
        [program], env={**os.environ, **env}, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("level", ["-O1", "-O2", "-O3"])
def test_loops_and_fibers_agree(sim_sdk_root: Path, tmp_path: Path, level: str) -> None:
    program = tmp_path / "program"
    subprocess.run([sim_sdk_root / "bin/mcc", level, SOURCE, "-lmusart", "-o", program], check=True)
    by_fibers = run(program, MUSA_SIM_FIBERS="1")
    assert len(by_fibers.splitlines()) == 4 * 14
    assert run(program, MUSA_SIM_FIBERS="0") == by_fibers
    assert run(program, MUSA_SIM_FIBERS="0", MUSA_SIM_THREADS="1") == by_fibers


@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2", "-O3"])
def test_functions_of_the_thread_run_for_each_thread(sim_sdk_root: Path, tmp_path: Path, level: str) -> None:
    program, source = tmp_path / "program", SOURCE.with_name("functions_of_the_thread.mu")
    subprocess.run([sim_sdk_root / "bin/mcc", level, source, "-lmusart", "-o", program], check=True)
    for fibers in ("0", "1"):
        run(program, MUSA_SIM_FIBERS=fibers)


def test_every_one_of_them_is_cut(sim_sdk_root: Path, tmp_path: Path) -> None:
    image = tmp_path / "image.mubin"
    subprocess.run([sim_sdk_root / "bin/mcc", "-O2", "--cuda-device-only", "-c", SOURCE, "-o", image], check=True)
    symbols = image.read_bytes()
    missing = [name for name in KERNELS if f"__musa_sim_loop__Z{len(name)}{name}".encode() not in symbols]
    assert not missing
    # its threads need a copy each of what it changes
    assert b"__musa_sim_loop__Z16by_value_changed" not in symbols


def test_what_cannot_be_cut_keeps_its_fibers(sim_sdk_root: Path, tmp_path: Path) -> None:
    source = tmp_path / "fibers.mu"
    source.write_text(
        """
        #include <stdio.h>
        __device__ __attribute__((noinline)) int behind_a_call(int* tile, int value) {
            tile[threadIdx.x] = value;
            __syncthreads();
            return tile[31 - threadIdx.x];
        }
        __global__ void outlined(int* out) {
            __shared__ int tile[32];
            out[threadIdx.x] = behind_a_call(tile, threadIdx.x);
        }
        __device__ __attribute__((noinline)) int neighbour(int value) { return __shfl_xor_sync(0xffffffffu, value, 1); }
        __global__ void shuffled(int* out) {
            __syncthreads();
            out[threadIdx.x] += neighbour(threadIdx.x);
        }
        int main() {
            int* out;
            musaMallocManaged((void**)&out, 32 * sizeof(int));
            outlined<<<1, 32>>>(out);
            shuffled<<<1, 32>>>(out);
            musaDeviceSynchronize();
            for (int i = 0; i < 32; ++i) printf("%d ", out[i]);
        }
        """
    )
    program, image = tmp_path / "fibers", tmp_path / "fibers.mubin"
    subprocess.run([sim_sdk_root / "bin/mcc", "-O2", source, "-lmusart", "-o", program], check=True)
    assert [int(word) for word in run(program).split()] == [31 - i + (i ^ 1) for i in range(32)]
    subprocess.run([sim_sdk_root / "bin/mcc", "-O2", "--cuda-device-only", "-c", source, "-o", image], check=True)
    assert b"__musa_sim_loop_" not in image.read_bytes()


def test_a_barrier_behind_an_alias_is_seen(sim_sdk_root: Path, tmp_path: Path) -> None:
    """clang makes one of two constructors an alias of the other; the call that is left names the alias."""
    source = tmp_path / "alias.mu"
    source.write_text(
        """
        #include <stdio.h>
        struct Tile {
            int* memory;
            __device__ __attribute__((noinline)) Tile(int* memory, int value);
        };
        __device__ Tile::Tile(int* memory, int value) : memory(memory) {
            memory[threadIdx.x] = value;
            __syncthreads();
        }
        __global__ void mirrored(int* out) {
            __shared__ int memory[32];
            Tile tile(memory, threadIdx.x);
            out[threadIdx.x] = tile.memory[31 - threadIdx.x];
        }
        int main() {
            int* out;
            musaMallocManaged((void**)&out, 32 * sizeof(int));
            mirrored<<<1, 32>>>(out);
            musaDeviceSynchronize();
            for (int i = 0; i < 32; ++i) printf("%d ", out[i]);
        }
        """
    )
    program, image = tmp_path / "alias", tmp_path / "alias.mubin"
    subprocess.run([sim_sdk_root / "bin/mcc", "-O2", source, "-lmusart", "-o", program], check=True)
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert (done.stdout.split(), done.stderr) == ([str(31 - i) for i in range(32)], "")
    subprocess.run([sim_sdk_root / "bin/mcc", "-O2", "--cuda-device-only", "-c", source, "-o", image], check=True)
    assert b"__musa_sim_loop_" not in image.read_bytes()


ALIGNED = """
#include <stdio.h>
template <int N> struct alignas(N) Row { char values[N]; };
__device__ int misplaced[4];
template <int N> __device__ void keep(int at) {
    Row<N> row;
    for (int i = 0; i < N; ++i) row.values[i] = i + at;
    __syncthreads();
    volatile size_t address = reinterpret_cast<size_t>(&row.values[(threadIdx.x + at) % N]);
    if ((address - (threadIdx.x + at) % N) % N) atomicAdd(&misplaced[at], 1);
    if (row.values[(threadIdx.x * 7) % N] != char(threadIdx.x * 7 % N + at)) atomicAdd(&misplaced[at], 1);
}
__global__ void rows_of_16() { keep<16>(0); }
__global__ void rows_of_32() { keep<32>(1); }
__global__ void rows_of_64() { keep<64>(2); }
__global__ void rows_of_128() { keep<128>(3); }
int main() {
    for (int threads = 1; threads < 300; threads += 23) {
        rows_of_16<<<3, threads>>>();
        rows_of_32<<<3, threads>>>();
        rows_of_64<<<3, threads>>>();
        rows_of_128<<<3, threads>>>();
    }
    int found[4];
    musaError_t error = musaMemcpyFromSymbol(found, misplaced, sizeof found);
    printf("%d: %d %d %d %d\\n", error, found[0], found[1], found[2], found[3]);
}
"""


def test_what_a_thread_keeps_over_a_barrier_is_aligned(sim_sdk_root: Path, tmp_path: Path) -> None:
    (tmp_path / "aligned.mu").write_text(ALIGNED)
    mcc = [sim_sdk_root / "bin/mcc", "-O2", "aligned.mu"]
    subprocess.run([*mcc, "-lmusart", "-o", "aligned"], cwd=tmp_path, check=True)
    assert run(tmp_path / "aligned", MUSA_SIM_FIBERS="0") == run(tmp_path / "aligned", MUSA_SIM_FIBERS="1")
    assert run(tmp_path / "aligned", MUSA_SIM_FIBERS="0") == "0: 0 0 0 0\n"
    subprocess.run([*mcc, "--cuda-device-only", "-c", "-o", "image"], cwd=tmp_path, check=True)
    cut = [
        name
        for name in ("16", "32", "64", "128")
        if f"loop__Z{8 + len(name)}rows_of_{name}v".encode() in (tmp_path / "image").read_bytes()
    ]
    assert cut == ["16", "32", "64"]  # libmusart's frames lie at multiples of 64


def test_kernels_of_a_huge_source_keep_their_fibers(sim_sdk_root: Path, tmp_path: Path) -> None:
    """LLVM takes most of its time for the other form of a kernel."""
    program, image = tmp_path / "program", tmp_path / "image"
    mcc = [
        sys.executable,
        "-c",
        "import sys; from pathlib import Path; from musa_sim.mcc.clang import arguments\n"
        "from musa_sim.mcc.driver import main\n"
        "arguments._HUGE_SOURCE = 0; sys.exit(main(sys.argv[2:], Path(sys.argv[1]), '5.2.0'))",
        *(sim_sdk_root, "-O2", SOURCE),
    ]
    subprocess.run([*mcc, "--cuda-device-only", "-c", "-o", image], check=True)
    loops = [name for name in KERNELS if f"__musa_sim_loop__Z{len(name)}{name}".encode() in image.read_bytes()]
    assert "tree" not in loops and "stride" in loops, loops
    subprocess.run([*mcc, "-lmusart", "-o", program], check=True)
    assert run(program, MUSA_SIM_FIBERS="0") == run(program, MUSA_SIM_FIBERS="1")
