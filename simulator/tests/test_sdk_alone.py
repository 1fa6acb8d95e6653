"""The SDK by itself: a program compiles, runs and is checked. The repository's tests/sim has the rest."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

SUMS = r"""
#include <cstdio>
#include <vector>
#include <musa_runtime.h>

__global__ void add(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}

int main() {
    int n;
    float a;
    if (scanf("%d %f", &n, &a) != 2) return 2;
    std::vector<float> x(n), y(n);
    for (auto *values : {&x, &y})
        for (float &value : *values)
            if (scanf("%f", &value) != 1) return 2;
    float *device_x, *device_y;
    musaMalloc(&device_x, n * sizeof(float));
    musaMalloc(&device_y, n * sizeof(float));
    musaMemcpy(device_x, x.data(), n * sizeof(float), musaMemcpyHostToDevice);
    musaMemcpy(device_y, y.data(), n * sizeof(float), musaMemcpyHostToDevice);
    add<<<(n + 127) / 128, 128>>>(n, a, device_x, device_y);
    if (musaMemcpy(y.data(), device_y, n * sizeof(float), musaMemcpyDeviceToHost) != musaSuccess) return 1;
    for (float value : y) printf("%.9g\n", value);
    musaFree(device_x);
    musaFree(device_y);
}
"""

RACE = r"""
#include <cstdio>
#include <musa_runtime.h>

__global__ void reverse(int *out) {
    __shared__ int shared[64];
    shared[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = shared[63 - threadIdx.x];
}

int main() {
    int *out;
    musaMalloc(&out, 64 * sizeof(int));
    reverse<<<1, 64>>>(out);
    musaDeviceSynchronize();
    musaFree(out);
}
"""


@pytest.fixture(scope="session")
def sdk() -> Path:
    done = subprocess.run([sys.executable, "-m", "musa_sim", "root"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return Path(done.stdout.strip())


def compiled(sdk: Path, source: str, folder: Path, *flags: str) -> Path:
    (folder / "program.mu").write_text(source, encoding="utf-8")
    command = [sdk / "bin" / "mcc", *flags, "-O2", "program.mu", "-lmusart", "-o", "program"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "program"


def test_a_kernel_computes(sdk: Path, tmp_path: Path) -> None:
    program = compiled(sdk, SUMS, tmp_path)
    for n in (1, 127, 1000):
        numbers = random.Random(n)
        x, y = ([numbers.randrange(-999, 1000) for _ in range(n)] for _ in range(2))
        text = f"{n} 3 {' '.join(map(str, [*x, *y]))}"
        done = subprocess.run([program], input=text, capture_output=True, text=True, check=True)
        assert [float(line) for line in done.stdout.split()] == [3 * a + b for a, b in zip(x, y)]


def test_a_race_is_found(sdk: Path, tmp_path: Path) -> None:
    program = compiled(sdk, RACE, tmp_path, "--sim-check=race")
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert done.returncode == 86
    assert "race" in done.stderr and "program.mu:8" in done.stderr


def test_the_exports_select_the_sdk(sdk: Path) -> None:
    done = subprocess.run([sys.executable, "-m", "musa_sim", "env"], capture_output=True, text=True, check=True)
    shell = subprocess.run(
        ["sh", "-c", f'{done.stdout}\necho "$MUSA_HOME"; command -v mcc'],
        env={**os.environ, "MUSA_HOME": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    assert shell.stdout.split() == [str(sdk), str(sdk / "bin" / "mcc")]
