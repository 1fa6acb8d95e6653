"""The driver API: modules that mcc writes, launched by name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from library_programs import Build
from sim_programs import Program


@pytest.fixture(scope="module")
def driver(build: Build) -> Program:
    return build("driver.cpp", libraries=["musa"])


def test_compute(driver: Program, module: Path, rng: np.random.Generator) -> None:
    x = rng.standard_normal(1000).astype(np.float32)
    got = driver.array(np.float32, "compute", module, inputs=[x])
    np.testing.assert_array_equal(got, (x * np.float32(-0.5))[::-1])


def test_contexts_and_refusals(driver: Program, module: Path) -> None:
    result = driver("facts", module, env={"MUSA_SIM_DEVICES": "2"})
    assert result.status == 0, result.stderr
    assert result.facts == {
        "before_init": "MUSA_ERROR_NOT_INITIALIZED",
        "devices": "2",
        "same_context": "1",
        "threads": "1024",
        "named": "1",
        "after_pop": "1",
        "no_device": "MUSA_ERROR_INVALID_DEVICE",
        "no_file": "MUSA_ERROR_FILE_NOT_FOUND",
        **dict.fromkeys(("no_image", "text_and_zeros", "text_and_ones", "text_and_others"), "MUSA_ERROR_INVALID_IMAGE"),
        "no_kernel": "MUSA_ERROR_NOT_FOUND",
        "no_variable": "MUSA_ERROR_NOT_FOUND",
        "block_too_large": "MUSA_ERROR_INVALID_VALUE",
        "block_z_too_large": "MUSA_ERROR_INVALID_VALUE",
        "grid_y_too_large": "MUSA_ERROR_INVALID_VALUE",
        "most_z": "64",
        "fault": "MUSA_ERROR_ILLEGAL_ADDRESS",
        "unloaded": "MUSA_ERROR_INVALID_HANDLE",
    }
    assert "kernel crash" in result.stderr
    assert result.stderr.count("a device image is damaged") == 3


def test_launches_with_attributes_pools_and_advice(driver: Program, module: Path) -> None:
    result = driver("newer", module)
    ok, invalid = "MUSA_SUCCESS", "MUSA_ERROR_INVALID_VALUE"
    assert (result.status, result.stderr) == (0, "[musa-sim] launches of clusters of blocks are not simulated\n")
    assert result.facts == {
        "launch": ok,
        "reversed": "4321",
        "cluster": "MUSA_ERROR_NOT_SUPPORTED",
        "no configuration": invalid,
        "used": "1024, 1",
        "set": ok,
        "destroy the default": invalid,
        "nothing": invalid,
        "pitch": "1",
        "elements of 5 bytes": invalid,
        "prefetch": ok,
        "advise": ok,
        "managed": "1 -1",
        "no such device": "MUSA_ERROR_INVALID_DEVICE",
        "profiler": ok,
        "profiler stops": ok,
    }


def test_kernels_of_graphs_get_other_parameters(driver: Program, module: Path) -> None:
    result = driver("graph", module)
    assert result.facts == {
        "as captured": "4321",
        "function": "1 4",
        "two threads": "2134",
        "too many": "MUSA_ERROR_INVALID_VALUE",
        "updated": "3214",
        "empty": "MUSA_ERROR_GRAPH_EXEC_UPDATE_FAILURE 2",
    }
    assert result.stderr == (
        "[musa-sim] kernel reverse cannot be launched: blockDim.x is 2000; mp_22 allows 1 to 1024\n"
    )


@pytest.fixture(scope="module")
def copies(build: Build) -> Program:
    return build("driver_copies.cpp", libraries=["musa"])


SIGNED_INT16, HALF, FLOAT, UNSIGNED_INT8 = 9, 16, 32, 1


@pytest.mark.parametrize("route", ["device", "unified", "array"])
@pytest.mark.parametrize(
    ("element", "format_", "channels"), [(1, UNSIGNED_INT8, 1), (4, SIGNED_INT16, 2), (8, HALF, 4), (4, FLOAT, 1)]
)
@pytest.mark.parametrize("shape", [(1, 5, 16), (1, 33, 40), (4, 7, 24)])
def test_boxes_go_there_and_back(
    copies: Program,
    rng: np.random.Generator,
    route: str,
    element: int,
    format_: int,
    channels: int,
    shape: tuple[int, int, int],
) -> None:
    _, height, width = shape
    whole = rng.integers(0, 256, shape).astype(np.uint8)
    x, y, z = 8, 2, shape[0] // 2
    box = (width - x, height - y - 1, shape[0] - z)
    sizes = np.array([width, height, shape[0], x, y, z, *box], np.uint64)
    got = copies.array(np.uint8, route, element, format_, channels, inputs=[sizes, whole]).reshape(shape)
    expected = np.zeros_like(whole)
    part = (slice(z, z + box[2]), slice(y, y + box[1]), slice(x, x + box[0]))
    expected[part] = whole[part]
    np.testing.assert_array_equal(got, expected)


def test_copies_that_cannot_be(copies: Program) -> None:
    invalid = "MUSA_ERROR_INVALID_VALUE"
    assert copies("refusals").facts == {
        "nothing": invalid,
        "empty": "MUSA_SUCCESS",
        "no memory": invalid,
        "level": invalid,
        "three channels": invalid,
        "no function": "MUSA_ERROR_NOT_FOUND",
    }
