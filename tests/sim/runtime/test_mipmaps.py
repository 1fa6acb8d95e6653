"""Levels of mipmapped arrays against the formulas of CUDA's programming guide, written in NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from sim_programs import Build, Program
from test_textures import AS_IT_IS, CLAMP, CUBEMAP, LAYERED, LINEAR, POINT, WRAP, expected, on_cube, sizes


@pytest.fixture(scope="module")
def mipmaps(build: Build) -> Program:
    return build("mipmaps.mu", flags=("-Wl,--no-as-needed", "-lmusa"))


def shape_of_level(shape: tuple[int, ...], level: int) -> tuple[int, ...]:
    return tuple(max(side >> level, 1) for side in shape)


def blended(texels: list[np.ndarray], levels: np.ndarray, clamps: tuple[float, float, float], mode: int) -> np.ndarray:
    """Choose among the texels of all levels, or blend two: `texels` has one array per level, of all points."""
    bias, least, most = clamps
    at = np.clip(np.clip(levels + np.float32(bias), least, most), 0, len(texels) - 1)
    stacked, points = np.stack(texels), np.arange(len(levels))
    if mode == POINT:
        return stacked[np.floor(at + 0.5).astype(int), points]
    first = np.floor(at).astype(int)
    weight = np.floor((at - first) * 256 + 0.5) / 256
    second = np.minimum(first + 1, len(texels) - 1)
    return (1 - weight) * stacked[first, points] + weight * stacked[second, points]


def level_of(steps: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Return the level of steps of x, y, z along both axes of a picture."""
    scaled = steps.reshape(len(steps), 2, 3)[..., : len(shape)] * np.array(shape, np.float32)
    with np.errstate(divide="ignore"):
        return np.log2(np.linalg.norm(scaled, axis=-1).max(axis=-1))


@pytest.mark.parametrize(
    ("shape", "layers"), [((21,), 0), ((21,), 3), ((16, 9), 0), ((16, 9), 3), ((8, 5, 6), 0)], ids=str
)
@pytest.mark.parametrize("filtered", [POINT, LINEAR])
@pytest.mark.parametrize("between", [POINT, LINEAR])
@pytest.mark.parametrize("clamps", [(0, 0, 99), (0.75, 0.5, 1.625)], ids=str)
def test_levels(
    mipmaps: Program,
    rng: np.random.Generator,
    shape: tuple[int, ...],
    layers: int,
    filtered: int,
    between: int,
    clamps: tuple[float, float, float],
) -> None:
    levels, points = 4, 150
    extents = [shape_of_level(shape, level) for level in range(levels)]
    images = [rng.standard_normal((max(layers, 1), *reversed(extent), 1)).astype(np.float32) for extent in extents]
    at = rng.uniform(-1.5, 2.5, (points, 3)).astype(np.float32)
    wanted = rng.uniform(-1, 4.5, points).astype(np.float32)
    steps = (rng.standard_normal((points, 6)) * 2.0 ** rng.uniform(-6, 0, (points, 1))).astype(np.float32)
    width, height, depth = sizes(*shape)
    numbers = [len(shape), LAYERED if layers else 0, width, height, layers or depth, levels, points]
    setting = (WRAP, filtered, AS_IT_IS, 1)
    inputs = (np.array(clamps, np.float32), *images, at, wanted, steps)
    result = mipmaps("read", *numbers, WRAP, filtered, between, inputs=inputs)
    assert (result.status, result.stderr) == (0, "")
    at_level, by_steps, plain = np.frombuffer(result.stdout, np.float32).reshape(3, points)
    layer = np.arange(points) % max(layers, 1)
    texels = [
        np.stack([expected(one, at[:, : len(shape)], setting)[:, 0] for one in image])[layer, np.arange(points)]
        for image in images
    ]
    np.testing.assert_allclose(at_level, blended(texels, wanted, clamps, between), rtol=0, atol=1e-5)
    chosen = level_of(steps, shape)
    # a logarithm that is rounded otherwise may be on the other side of a boundary between two levels
    sharp = np.abs((chosen + clamps[0]) % 1 - 0.5) > 1e-3
    found = np.abs(by_steps - blended(texels, chosen, clamps, between))
    assert sharp.sum() > points / 2 and found[sharp].max() < (1e-5 if between == POINT else 0.03)
    if not layers:
        np.testing.assert_allclose(plain, texels[0], rtol=0, atol=1e-5)


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("between", [POINT, LINEAR])
def test_cube_maps(mipmaps: Program, rng: np.random.Generator, layers: int, between: int) -> None:
    side, levels, points, clamps = 8, 4, 100, (0, 0, 99)
    images = [
        rng.standard_normal((6 * layers, side >> level, side >> level, 1)).astype(np.float32) for level in range(levels)
    ]
    at = rng.standard_normal((points, 3)).astype(np.float32)
    wanted = rng.uniform(-1, 4, points).astype(np.float32)
    flags = CUBEMAP | (LAYERED if layers > 1 else 0)
    numbers = [3, flags, side, side, 6 * layers, levels, points, WRAP, POINT, between]
    inputs = (np.array(clamps, np.float32), *images, at, wanted, np.zeros((points, 6), np.float32))
    result = mipmaps("read", *numbers, inputs=inputs)
    assert (result.status, result.stderr) == (0, "")
    texels = [np.zeros(points) for _ in range(levels)]
    for i, direction in enumerate(at):
        face, s, t = on_cube(direction)
        for level, image in enumerate(images):
            plane = image[i % layers * 6 + face]
            point = np.array([[s, t]], np.float32)
            texels[level][i] = expected(plane, point, (CLAMP, POINT, AS_IT_IS, 1))[0, 0]
    found = np.frombuffer(result.stdout, np.float32)[:points]
    np.testing.assert_allclose(found, blended(texels, wanted, clamps, between), rtol=0, atol=1e-5)


def test_a_program_writes_each_level_from_the_one_above(mipmaps: Program, rng: np.random.Generator) -> None:
    image = rng.standard_normal((16, 16)).astype(np.float32)
    result = mipmaps("chain", inputs=(image,))
    assert (result.status, result.stderr) == (0, "")
    np.testing.assert_allclose(np.frombuffer(result.stdout, np.float32), [image.mean()], rtol=0, atol=1e-6)


def test_errors(mipmaps: Program) -> None:
    result = mipmaps("errors")
    assert result.facts == {
        "more levels than there are": "musaSuccess",
        "level 0": "9 4 0",
        "level 1": "4 2 0",
        "level 2": "2 1 0",
        "level 3": "1 1 0",
        "no such level": "musaErrorInvalidValue",
        "free a level": "musaErrorInvalidValue",
        "sparse": "musaErrorNotSupported",
        "widest": "musaSuccess",
        "too wide": "musaErrorInvalidValue",
        "too long": "musaErrorInvalidValue",
        "nothing": "musaErrorInvalidValue",
        "integers between levels": "musaErrorInvalidFilterSetting",
        "coordinates of elements": "musaErrorInvalidValue",
        "good": "musaSuccess",
        "free": "musaSuccess",
        "free again": "musaErrorInvalidResourceHandle",
        "freed": "musaErrorInvalidResourceHandle",
        "texture of it": "musaErrorInvalidResourceHandle",
    }


def test_views(mipmaps: Program, rng: np.random.Generator) -> None:
    levels = [rng.standard_normal((3, side, side)).astype(np.float32) for side in (4, 2, 1)]
    single = rng.standard_normal(1).astype(np.float32)
    result = mipmaps("views", inputs=[*levels, single])
    # the view's first level is level 1, its first layer layer 1
    seen = {
        f"level {level} of layer {layer}": f"{image[min(layer + 1, 2), len(image[0]) // 2, len(image[0]) // 2]:.9g}"
        for level, image in ((0, levels[1]), (1, levels[2]), (2, levels[2]))
        for layer in range(3)
    }
    assert result.facts == {
        "view": "musaSuccess",
        "what it is": "musaSuccess",
        "levels": "1 to 2",
        **seen,
        "without a view": "musaSuccess",
        "what it is not": "musaErrorInvalidValue",
        "no such level": "musaErrorInvalidValue",
        "levels in reverse": "musaErrorInvalidValue",
        "no such layer": "musaErrorInvalidValue",
        "half the width": "musaErrorInvalidValue",
        "elements of 8 bytes": "musaErrorInvalidValue",
        "compressed": "musaErrorNotSupported",
        "bytes": "musaSuccess",
        "bytes of a float": " ".join(map(str, single.tobytes())),
    }
    assert result.stderr.splitlines() == ["[musa-sim] textures of compressed blocks are not simulated"]


def test_driver(mipmaps: Program, rng: np.random.Generator) -> None:
    images = [rng.standard_normal((side, side)).astype(np.float32) for side in (4, 2, 1)]
    result = mipmaps("driver", inputs=images)
    middle = {
        f"element of level {level}": f"{image[len(image) // 2, len(image) // 2]:.9g}"
        for level, image in enumerate(images)
    }
    assert result.facts == {
        "create": "0",
        "no such level": "1",
        "texture": "0",
        "view": "0",
        "what it is": "0",
        "level of the view": "1",
        "what it is not": "1",
        "element of the view": middle["element of level 1"],
        **middle,
        "destroy": "0",
        "texture of nothing": "400",
    }
