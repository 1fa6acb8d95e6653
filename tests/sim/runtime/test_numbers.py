"""The CPU that kernels are compiled for changes a*b+c, and which machines can run the image."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sim_programs import Build, Program, Result

from musa_sim.mcc.clang import cpu

FORMS = ("loop", "barrier", "shuffle")
N = 4000
HAS_V3 = cpu.of_this_machine() == cpu.V3
needs_v3 = pytest.mark.skipif(not HAS_V3, reason="this CPU has no fused multiply-add")


def factors_and_addends(rng: np.random.Generator) -> np.ndarray:
    """Three rows of float32. In float64 a product of two of them plus a third is exact."""
    return rng.uniform(0.5, 2, (3, N)).astype(np.float32) * rng.choice([-1, 1], (3, N)).astype(np.float32)


def results(program: Program, operands: np.ndarray) -> list[np.ndarray]:
    return [
        program.array(np.uint32, form, N, inputs=list(operands), env=env)
        for form in FORMS
        for env in ({}, {"MUSA_SIM_FIBERS": "1"})
    ]


@needs_v3
def test_products_and_sums_are_fused_in_every_form(build: Build, rng: np.random.Generator) -> None:
    operands = factors_and_addends(rng)
    a, b, c = operands.astype(np.float64)
    once = (a * b + c).astype(np.float32).view(np.uint32)
    for got in results(build("numbers.mu"), operands):
        np.testing.assert_array_equal(got, once)


@pytest.mark.parametrize("flag", ["-march=x86-64", "-ffp-contract=off"])
def test_they_are_rounded_twice_if_the_flags_say_so(build: Build, rng: np.random.Generator, flag: str) -> None:
    operands = factors_and_addends(rng)
    a, b, c = operands
    twice = (a * b + c).view(np.uint32)
    for got in results(build("numbers.mu", flags=[flag]), operands):
        np.testing.assert_array_equal(got, twice)


def run_on_a_lesser_cpu(program: Program, rng: np.random.Generator) -> Result:
    return program("loop", N, inputs=list(factors_and_addends(rng)), env={"MUSA_SIM_CPU_WITHOUT": "avx2,fma"})


@needs_v3
def test_a_lesser_cpu_refuses_the_image(build: Build, rng: np.random.Generator) -> None:
    result = run_on_a_lesser_cpu(build("numbers.mu"), rng)
    assert result.status == 3
    assert result.stderr == (
        "[musa-sim] kernels were compiled for x86-64-v3, and this CPU lacks avx2, fma: compile them again here, or "
        "anywhere with MUSA_SIM_CPU=x86-64 (docs/simulator.md)\n"
        "musaGetLastError(): musaErrorNoKernelImageForDevice\n"
    )


def test_a_baseline_image_runs_on_it(build: Build, rng: np.random.Generator) -> None:
    assert run_on_a_lesser_cpu(build("numbers.mu", flags=["-march=x86-64"]), rng).status == 0


def test_the_cpu_is_in_the_name_of_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    code = "from musa_sim.sdk_root import _key; from musa_sim.mcc.clang.toolchain import find; print(_key(find(), ''))"

    def key(name: str) -> str:
        monkeypatch.setenv("MUSA_SIM_CPU", name)
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert key("x86-64") != key("x86-64-v3")


@pytest.mark.parametrize("lacking", ["", "fma", "avx2", "f16c"])
def test_the_machine_decides(tmp_path: Path, lacking: str) -> None:
    flags = " cx16 lahf_lm pni popcnt sse4_1 sse4_2 ssse3 avx avx2 bmi1 bmi2 f16c fma abm movbe xsave sse2 "
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text(f"processor\t: 0\nflags\t\t: fpu{flags.replace(f' {lacking} ', ' ')}\n")
    assert cpu.of_this_machine(cpuinfo) == ("x86-64" if lacking else "x86-64-v3")
    assert cpu.of_this_machine(tmp_path / "absent") == "x86-64"
    assert not cpu.has_v4(cpuinfo)
    cpuinfo.write_text(f"flags\t\t: fpu{flags}avx512f avx512bw avx512cd avx512dq avx512vl\n")
    assert cpu.has_v4(cpuinfo)


def on_a_cpu_without(feature: str, program: Program, rng: np.random.Generator) -> Result:
    return program("loop", N, inputs=list(factors_and_addends(rng)), env={"MUSA_SIM_CPU_WITHOUT": feature})


def test_an_image_with_avx512(build: Build, rng: np.random.Generator) -> None:
    program = build("numbers.mu", flags=["-march=x86-64-v4"])
    refused = on_a_cpu_without("avx512dq", program, rng)
    assert refused.status == 3
    assert "compiled for x86-64-v4, and this CPU lacks " in refused.stderr
    assert "avx512dq: compile them again here" in refused.stderr
    # an image for v3 does not ask for other features
    if cpu.of_this_machine() == "x86-64-v3":
        assert on_a_cpu_without("avx512dq", build("numbers.mu"), rng).status == 0


@pytest.mark.skipif(not cpu.has_v4(), reason="without AVX-512 its kernels are refused, as the test above sees")
def test_avx512_gives_the_same_numbers(build: Build, rng: np.random.Generator) -> None:
    operands = factors_and_addends(rng)
    for narrow, wide in zip(
        results(build("numbers.mu"), operands), results(build("numbers.mu", flags=["-march=x86-64-v4"]), operands)
    ):
        np.testing.assert_array_equal(narrow, wide)


def test_a_setting_that_is_no_cpu() -> None:
    env = {**os.environ, "MUSA_SIM_CPU": "znver4"}
    command = [sys.executable, "-m", "musa_sim", "root"]
    run = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert "MUSA_SIM_CPU is 'znver4'\n  wanted: x86-64 or x86-64-v3 or x86-64-v4\n" in run.stderr
    assert run.returncode == 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_second_results_come_through_pointers(build: Build, rng: np.random.Generator, dtype: type[np.floating]) -> None:
    """std::frexp, std::modf and std::remquo, whose overloads for float are not constexpr in libstdc++."""
    x = rng.uniform(-1000, 1000, N).astype(dtype)
    got = build("pointer_results.mu").array(dtype, np.dtype(dtype).name, N, inputs=[x]).reshape(6, N)
    mantissas, exponents = np.frexp(x)
    fractions, wholes = np.modf(x)
    quotients = np.round(x.astype(np.float64) / 3)
    rests = (x.astype(np.float64) - 3 * quotients).astype(dtype)
    expected = np.stack([mantissas, exponents, fractions, wholes, rests, np.fmod(quotients, 8)])
    np.testing.assert_array_equal(got, expected.astype(dtype))
