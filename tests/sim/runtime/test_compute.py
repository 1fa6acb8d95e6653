"""Kernels against NumPy: indices, dtypes, shared memory, barriers, warp functions, atomics, arguments by value."""

from __future__ import annotations

import numpy as np
import pytest
from sim_programs import Build, Program

FIBERS = {"MUSA_SIM_FIBERS": "1"}


@pytest.fixture(scope="module")
def compute(build: Build) -> Program:
    return build("compute.mu")


def to_bfloat16(x: np.ndarray) -> np.ndarray:
    bits = x.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def from_bfloat16(x: np.ndarray) -> np.ndarray:
    return (x.astype(np.uint32) << 16).view(np.float32)


@pytest.mark.parametrize("n", [0, 1, 255, 256, 257, 100_003])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32"])
def test_elementwise(compute: Program, rng: np.random.Generator, dtype: str, n: int) -> None:
    x = (rng.standard_normal(n) * 50).astype(dtype)
    case = {"float32": "float", "float64": "double", "float16": "half", "int32": "int"}[dtype]
    y = compute.array(dtype, f"axpb_{case}", n, inputs=[x])
    np.testing.assert_array_equal(y, (x * np.dtype(dtype).type(2) + np.dtype(dtype).type(1)))


def test_elementwise_bfloat16(compute: Program, rng: np.random.Generator) -> None:
    x = to_bfloat16(rng.standard_normal(1000))
    y = compute.array(np.uint16, "axpb_bfloat16", x.size, inputs=[x])
    doubled = from_bfloat16(to_bfloat16(from_bfloat16(x) * np.float32(2)))
    np.testing.assert_array_equal(y, to_bfloat16(doubled + np.float32(1)))


@pytest.mark.parametrize("env", [{}, FIBERS, {"MUSA_SIM_THREADS": "1"}, {"MUSA_SIM_THREADS": "7"}])
@pytest.mark.parametrize("warp", ["32", "128"])
def test_reduction_with_shuffles(compute: Program, rng: np.random.Generator, warp: str, env: dict[str, str]) -> None:
    x = rng.integers(-8, 8, 50_001).astype(np.float32)  # sums of small integers are exact in any order
    total = compute.array(np.float32, "sum_with_shuffles", x.size, inputs=[x], env={"MUSA_SIM_WARP": warp, **env})
    assert total == x.sum(dtype=np.float64)


@pytest.mark.parametrize("n", [1, 127, 128, 20_000])
def test_reduction_with_shared_memory(compute: Program, rng: np.random.Generator, n: int) -> None:
    x = rng.integers(-1000, 1000, n).astype(np.int32)
    assert compute.array(np.float64, "sum_with_shared", n, inputs=[x]) == x.sum()


@pytest.mark.parametrize(("n", "tile"), [(1, 4), (33, 8), (64, 16), (70, 32)])
def test_matmul_with_dynamic_shared_memory(compute: Program, rng: np.random.Generator, n: int, tile: int) -> None:
    a, b = rng.standard_normal((2, n, n))
    c = compute.array(np.float64, "matmul", n, tile, inputs=[a, b]).reshape(n, n)
    np.testing.assert_allclose(c, a @ b, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("env", [{}, FIBERS])
def test_atomics(compute: Program, rng: np.random.Generator, env: dict[str, str]) -> None:
    n = 1500  # within what a half counts exactly
    x = rng.integers(-500, 500, n).astype(np.int32)
    raw = compute("atomics", n, inputs=[x], env=env).stdout
    i, u = np.frombuffer(raw, np.int32, 6), np.frombuffer(raw, np.uint32, 4, 24)
    wide, f = np.frombuffer(raw, np.uint64, 2, 40), np.frombuffer(raw, np.float32, 16, 56)
    d, h = np.frombuffer(raw, np.float64, 16, 120), np.frombuffer(raw, np.float16, 1, 248)
    expected = [x.sum(), -x.sum(), x.max(), x.min(), np.bitwise_or.reduce(x), np.bitwise_xor.reduce(x)]
    np.testing.assert_array_equal(i, expected)
    decremented = 0
    for _ in range(n):
        decremented = 6 if decremented in (0, *range(7, 10)) else decremented - 1
    np.testing.assert_array_equal(u, [0xFFFFFF80, n % 10, decremented, x.view(np.uint32).max()])
    assert wide[0] == (int(x.sum()) << 32) % 2**64
    assert 1 <= wide[1] <= n
    counts = np.bincount(x & 15, minlength=16)
    np.testing.assert_array_equal(f, counts * 0.5)
    np.testing.assert_array_equal(d, counts * 0.25)
    assert h[0] == n


@pytest.mark.parametrize("env", [FIBERS, {}], ids=["fibers", "default"])
def test_every_thread_has_its_own_copy_of_a_class(compute: Program, env: dict[str, str]) -> None:
    out = compute.array(np.float32, "own_copy", env=env).reshape(3, 64)
    np.testing.assert_array_equal(out[:2], 10 + np.arange(64) + np.array([[0], [100]]))
    np.testing.assert_array_equal(out[2], 6 + np.arange(64) // 16)


def test_arguments_by_value(compute: Program) -> None:
    value = 1.5 * 4 + 2 * 3 + 4 + 5 + 0.25 + 700 + 9
    np.testing.assert_array_equal(compute.array(np.float32, "by_value"), -value + np.arange(8))


def test_arguments_that_hold_empty_classes(compute: Program) -> None:
    with_b, without_b = 3 + 10 * 201 + 40000, 3 + 10 * 1 + 40000
    assert compute.array(np.float64, "empty_classes", 17).tolist() == [with_b] * 10 + [without_b] * 7


def test_lambda_as_argument(compute: Program) -> None:
    np.testing.assert_array_equal(compute.array(np.int32, "lambda", 100), np.arange(100) ** 2 + 100)


@pytest.mark.parametrize("env", [{}, FIBERS])
def test_indices_in_three_dimensions(compute: Program, env: dict[str, str]) -> None:
    bz, by, bx, tz, ty, tx = np.meshgrid(*map(np.arange, (4, 3, 2, 5, 2, 3)), indexing="ij")
    expected = tx | ty << 4 | tz << 8 | bx << 12 | by << 16 | bz << 20
    np.testing.assert_array_equal(compute.array(np.uint32, "indices", env=env), expected.ravel())


@pytest.mark.parametrize("env", [{}, FIBERS])
def test_active_masks_of_two_branches(compute: Program, env: dict[str, str]) -> None:
    thread = np.arange(64).reshape(2, 32)
    first = np.sum(np.where(thread % 3 == 0, 1 << thread % 32, 0), axis=1, keepdims=True)
    expected = np.where(thread % 3 == 0, first, 0xFFFFFFFF - first)
    np.testing.assert_array_equal(compute.array(np.uint32, "active_masks", env=env), expected.ravel())


@pytest.mark.parametrize("warps", [1, 7])
@pytest.mark.parametrize("env", [{}, FIBERS, {"MUSA_SIM_SEED": "3"}], ids=str)
def test_an_active_mask_does_not_wait_for_lanes_that_spin(
    compute: Program, rng: np.random.Generator, env: dict[str, str], warps: int
) -> None:
    elected = rng.integers(0, 32, warps).astype(np.int32)
    got = compute.array(np.uint32, "active_among_spinning", warps, inputs=[elected], env=env)
    np.testing.assert_array_equal(got, np.uint32(1) << elected.astype(np.uint32))


def bits(flags: np.ndarray) -> int:
    """Lane i's flag as bit i, as a signed 32-bit number."""
    value = sum(1 << lane for lane, flag in enumerate(flags) if flag)
    return value - 2**32 if value >= 2**31 else value


@pytest.mark.parametrize("threads", [32, 96])
def test_warp_functions_of_32_lanes(compute: Program, rng: np.random.Generator, threads: int) -> None:
    x = rng.integers(0, 900, threads).astype(np.int32)
    env = {"MUSA_SIM_WARP": "32"}
    got = compute.array(np.int32, "warp_functions", threads, inputs=[x], env=env).reshape(threads, 15)
    for t in range(threads):
        lane, w = t % 32, x[t - t % 32 : t - t % 32 + 32]
        expected = [
            w[5],
            w[lane // 8 * 8 + (t + 3) % 8],
            w[lane] if lane % 16 < 2 else w[lane - 2],
            w[lane] if lane + 3 > 31 else w[lane + 3],
            w[lane ^ 9],
            bits(w & 1),
            2 * (7 in w) + 1,
            bits((w & 3) == (w[lane] & 3)),
            -1 + 1,  # all lanes hold x / 4096 == 0: the full mask, and the predicate
            bits((w & 2) * (np.arange(32) >= 16)) if lane >= 16 else w[lane ^ 15],
            bits((np.arange(32) >= 16) == (lane >= 16)),
            w[min(lane + 1, 31)],
            lane,
            (x & 1).sum(),
            2 * (7 in x) + 1,
        ]
        np.testing.assert_array_equal(got[t], expected, err_msg=f"thread {t}")


def test_warp_functions_of_128_lanes(compute: Program, rng: np.random.Generator) -> None:
    """Shuffles reach over 128 lanes; a mask describes the caller's own 32."""
    x = rng.integers(0, 900, 128).astype(np.int32)
    got = compute.array(np.int32, "warp_functions", 128, inputs=[x], env={"MUSA_SIM_WARP": "128"}).reshape(128, 15)
    lanes = np.arange(128)
    np.testing.assert_array_equal(got[:, 0], np.full(128, x[5]))
    np.testing.assert_array_equal(got[:, 3], np.where(lanes + 3 > 127, x, x[np.minimum(lanes + 3, 127)]))
    np.testing.assert_array_equal(got[:, 4], x[lanes ^ 9])
    np.testing.assert_array_equal(got[:, 5], [bits(x[t - t % 32 : t - t % 32 + 32] & 1) for t in lanes])
    np.testing.assert_array_equal(got[:, 12], lanes)


@pytest.mark.parametrize("warp", ["32", "128"])
def test_a_partial_mask_names_lanes_of_the_callers_own_32(
    compute: Program, rng: np.random.Generator, warp: str
) -> None:
    x = rng.integers(0, 900, 128).astype(np.int32)
    got = compute.array(np.int32, "partial_masks", 128, inputs=[x], env={"MUSA_SIM_WARP": warp}).reshape(128, 5)
    for t in range(128):
        half = x[t - t % 32 : t - t % 32 + 16]
        works = t // 32 % 2 == 1 and t % 32 < 16
        value = half[t % 16]
        expected = [bits(half & 1), half[(t + 1) % 16], 7 in half, (half < 850).all(), bits(half & 3 == value & 3)]
        np.testing.assert_array_equal(got[t], expected if works else np.zeros(5), err_msg=f"thread {t}")


def test_threads_that_leave_are_not_waited_for(compute: Program) -> None:
    out = compute.array(np.int32, "early_exit")
    lanes = np.arange(64)
    np.testing.assert_array_equal(out, np.where(lanes % 3, lanes[lanes % 3 != 0].sum(), 0))


def test_a_spinning_thread_lets_others_run(compute: Program) -> None:
    assert compute.array(np.int32, "spin") == 42


def test_printf(compute: Program) -> None:
    lines = compute("print", 3).text.splitlines()
    assert lines == [f"thread {t} of 8: {t * 0.5:.2f} ok" for t in range(3)]


def test_recursion_and_heap(compute: Program) -> None:
    fibonacci = [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89]
    np.testing.assert_array_equal(compute.array(np.int32, "device_heap"), [fibonacci[t % 12] for t in range(64)])
