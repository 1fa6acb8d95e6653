"""Kernels cut into loops between barriers give what fibers give, and are in fact cut."""

from __future__ import annotations

import os
import subprocess
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
    assert len(by_fibers.splitlines()) == 4 * 13
    assert run(program, MUSA_SIM_FIBERS="0") == by_fibers
    assert run(program, MUSA_SIM_FIBERS="0", MUSA_SIM_THREADS="1") == by_fibers


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
