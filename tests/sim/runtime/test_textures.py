"""Textures and surfaces against the formulas of CUDA's programming guide ("Texture Fetching"), written in NumPy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from sim_programs import Build, Program

WRAP, CLAMP, MIRROR, BORDER = range(4)
POINT, LINEAR = range(2)
AS_IT_IS, FRACTION = range(2)
BORDER_COLOR = 0.5


@pytest.fixture(scope="module")
def textures(build: Build) -> Program:
    return build("textures.mu")


def neighbours(x: np.ndarray, size: int, mode: int, filtered: int, normalised: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the indices of the two elements around each coordinate (-1: the border), and the second's 256ths."""
    x = x.astype(np.float32)
    if normalised:
        if mode == WRAP:
            x = x - np.floor(x)
        elif mode == MIRROR:
            whole = np.floor(x)
            x = np.where(whole % 2 == 0, x - whole, np.float32(1) - (x - whole))
        x = x * np.float32(size)
    elif mode in (WRAP, MIRROR):
        mode = CLAMP
    if filtered:
        x = x - np.float32(0.5)
    first = np.floor(x).astype(np.int64)
    x = x - np.floor(x)
    weight = np.floor(x * 256 + np.float32(0.5)).astype(int) if filtered else np.zeros_like(first)
    indices = np.stack([first, first + 1])
    if mode == WRAP:
        indices %= size
    elif mode == BORDER:
        indices = np.where((indices < 0) | (indices >= size), -1, indices)
    else:
        if mode != MIRROR:
            weight = np.where((first < 0) | (first >= size - 1), 0, weight)
        indices = indices.clip(0, size - 1)
    return indices, weight


def expected(
    image: np.ndarray, at: np.ndarray, setting: tuple[int, int, int, int], border: float = BORDER_COLOR
) -> np.ndarray:
    """Sample the image, whose axes are z, y, x and the component, at points of x, y, z."""
    mode, filtered, _, normalised = setting
    dimensions = at.shape[1]
    sides = [
        neighbours(at[:, axis], image.shape[dimensions - 1 - axis], mode, filtered, normalised)
        for axis in range(dimensions)
    ]
    total = np.zeros((len(at), image.shape[-1]))
    for corner in itertools.product((0, 1), repeat=dimensions):
        # 256 parts are split by z, then x, then y; the second's are rounded each time. So on an NVIDIA H200
        parts = np.full(len(at), 256)
        outside = np.zeros(len(at), bool)
        for axis in (axis for axis in (2, 0, 1) if axis < dimensions):
            of_second = parts * sides[axis][1] + 128 >> 8
            parts = of_second if corner[axis] else parts - of_second
        indices = tuple(side[0][bit] for side, bit in zip(reversed(sides), reversed(corner)))
        for index in indices:
            outside |= index < 0
        total += parts[:, None] / 256 * np.where(outside[:, None], border, image[indices])
    return total


def sizes(*of: int) -> tuple[int, int, int]:
    """Return width, height and depth, 0 where there is none."""
    width, height, depth = (*of, 0, 0)[:3]
    return width, height, depth


SETTINGS = [
    *((mode, filtered, AS_IT_IS, 0) for mode in (CLAMP, BORDER, WRAP) for filtered in (POINT, LINEAR)),
    *((mode, filtered, AS_IT_IS, 1) for mode in (WRAP, CLAMP, MIRROR, BORDER) for filtered in (POINT, LINEAR)),
]


@pytest.mark.parametrize("shape", [(7,), (8, 5), (4, 3, 5)], ids=str)
def test_floats(textures: Program, rng: np.random.Generator, shape: tuple[int, ...]) -> None:
    n = len(shape)
    image = rng.standard_normal((*reversed(shape), 1)).astype(np.float32)
    at = rng.uniform(-1.5, 2.5, (200, n)).astype(np.float32)
    at[:100] *= np.array(shape, np.float32)  # the first half is wide enough for coordinates that count elements
    numbers = [*sizes(*shape), len(at), len(SETTINGS), *itertools.chain(*SETTINGS)]
    result = textures(f"float {n}", *numbers, inputs=(image, at))
    assert (result.status, result.stderr) == (0, "")
    found = np.frombuffer(result.stdout, np.float32).reshape(len(SETTINGS), len(at), 1)
    for setting, texels in zip(SETTINGS, found):
        np.testing.assert_allclose(texels, expected(image, at, setting), rtol=0, atol=2e-6, err_msg=str(setting))


def test_fractions_of_linear_filtering_have_eight_bits(textures: Program) -> None:
    image = np.array([0, 1], np.float32)
    at = np.linspace(0.5, 1.5, 2049, dtype=np.float32)
    result = textures("float 1", 2, 0, 0, len(at), 1, CLAMP, LINEAR, AS_IT_IS, 0, inputs=(image, at))
    found = np.frombuffer(result.stdout, np.float32)
    assert set(found * 256) == set(range(257))


def test_bytes(textures: Program, rng: np.random.Generator) -> None:
    image = rng.integers(0, 256, (5, 6, 4), dtype=np.uint8)
    at = rng.uniform(-2, 8, (64, 2)).astype(np.float32)
    plain = (CLAMP, POINT, AS_IT_IS, 0)
    result = textures("uchar4 2", 6, 5, 0, len(at), 1, *plain, inputs=(image, at))
    np.testing.assert_array_equal(np.frombuffer(result.stdout, np.uint8).reshape(-1, 4), expected(image, at, plain))
    settings = [(CLAMP, POINT, FRACTION, 0), (BORDER, LINEAR, FRACTION, 0)]
    result = textures("uchar4 fraction 2", 6, 5, 0, len(at), 2, *itertools.chain(*settings), inputs=(image, at))
    assert (result.status, result.stderr) == (0, "")
    found = np.frombuffer(result.stdout, np.float32).reshape(2, len(at), 4)
    for setting, texels in zip(settings, found):
        # an H200 gives the border's color as many values as the elements have
        np.testing.assert_allclose(texels, expected(image / 255, at, setting, 127 / 255), rtol=0, atol=1e-5)


@pytest.mark.parametrize("filtered", [POINT, LINEAR])
def test_srgb(textures: Program, rng: np.random.Generator, filtered: int) -> None:
    image = rng.integers(0, 256, (5, 6, 4), dtype=np.uint8)
    at = rng.uniform(-2, 8, (64, 2)).astype(np.float32)
    is_srgb = 2
    settings = [CLAMP, filtered, FRACTION, is_srgb]
    result = textures("uchar4 fraction 2", 6, 5, 0, len(at), 1, *settings, inputs=(image, at))
    assert (result.status, result.stderr) == (0, "")
    linear = image / 255
    colors = linear[..., :3]
    linear[..., :3] = np.where(colors <= 0.04045, colors / 12.92, ((colors + 0.055) / 1.055) ** 2.4)
    found = np.frombuffer(result.stdout, np.float32).reshape(len(at), 4)
    np.testing.assert_allclose(found, expected(linear, at, (CLAMP, filtered, FRACTION, 0)), rtol=0, atol=1e-5)


def test_memory(textures: Program, rng: np.random.Generator) -> None:
    line = rng.integers(-(2**15), 2**15, (8, 2), dtype=np.int16)
    line[0] = -(2**15)
    plane = rng.integers(0, 256, (3, 4), dtype=np.uint8)
    at = rng.uniform(-1, 5, (12, 2)).astype(np.float32)
    result = textures("memory", inputs=(line, plane, at))
    assert (result.status, result.stderr) == (0, "")
    raw = result.stdout
    zeros = np.zeros((2, 2), np.int16)
    np.testing.assert_array_equal(np.frombuffer(raw, np.int16, 24).reshape(12, 2), [*zeros, *line, *zeros])
    fractions = np.frombuffer(raw, np.float32, 16, 48).reshape(8, 2)
    np.testing.assert_allclose(fractions, np.maximum(line / 32767, -1), rtol=2e-7)
    x, y = (np.floor(at[:, axis]).astype(int).clip(0, size - 1) for axis, size in ((0, 4), (1, 3)))
    np.testing.assert_array_equal(np.frombuffer(raw, np.uint8, 12, 112), plane[y, x])


def test_surfaces(textures: Program, rng: np.random.Generator) -> None:
    values = rng.standard_normal((4, 5, 2)).astype(np.float32)
    result = textures("surfaces", inputs=(values,))
    assert (result.status, result.stderr) == (0, "")
    moved = np.zeros_like(values)
    moved[1:, 1:] = values[:-1, :-1]
    moved *= np.array([2, 1], np.float32)
    moved[..., 1] += 1
    found = np.frombuffer(result.stdout, np.float32, 40).reshape(4, 5, 2)
    # the last element is written twice, by two threads
    np.testing.assert_array_equal(found[:, :4], moved[:, :4])
    np.testing.assert_array_equal(found[:3], moved[:3])
    assert found[3, 4].tolist() in ([-7, -8], moved[3, 4].tolist())
    z, y, x = np.indices((2, 2, 3))
    box = np.frombuffer(result.stdout, np.int32, 12, 160).reshape(2, 2, 3)
    np.testing.assert_array_equal(box, 1000 + 100 * x + 10 * y + z)


LAYERED, CUBEMAP = 1, 4


@pytest.mark.parametrize("shape", [(7,), (8, 5)], ids=str)
@pytest.mark.parametrize("setting", [(WRAP, LINEAR, AS_IT_IS, 1), (BORDER, POINT, AS_IT_IS, 0)], ids=str)
def test_layers(
    textures: Program, rng: np.random.Generator, shape: tuple[int, ...], setting: tuple[int, int, int, int]
) -> None:
    layers, n = 3, len(shape)
    image = rng.standard_normal((layers, *reversed(shape), 1)).astype(np.float32)
    at = rng.uniform(-1.5, 2.5, (200, n)).astype(np.float32) * (1 if setting[3] else np.array(shape, np.float32))
    width, height = sizes(*shape)[:2]
    result = textures("from layers", width, height, layers, len(at), LAYERED, *setting, inputs=(image, at))
    assert (result.status, result.stderr) == (0, "")
    layer = (np.arange(len(at)) % (layers + 2) - 1).clip(0, layers - 1)
    every = np.stack([expected(one, at, setting)[:, 0] for one in image])
    found = np.frombuffer(result.stdout, np.float32)
    np.testing.assert_allclose(found, every[layer, np.arange(len(at))], rtol=0, atol=2e-6)


def on_cube(direction: np.ndarray) -> tuple[int, float, float]:
    """Return the face that a direction meets, and where: the table of the programming guide, face by face."""
    x, y, z = direction.tolist()
    m = max(abs(x), abs(y), abs(z))
    faces = ((x, -z, -y), (-x, z, -y), (y, x, z), (-y, x, -z), (z, x, -y), (-z, -x, -y))
    face = next(number for number, (axis, _, _) in enumerate(faces) if axis == m)
    _, s, t = faces[face]
    return face, (s / m + 1) / 2, (t / m + 1) / 2


@pytest.mark.parametrize("layers", [0, 2])
@pytest.mark.parametrize("filtered", [POINT, LINEAR])
def test_cube_maps(textures: Program, rng: np.random.Generator, layers: int, filtered: int) -> None:
    side = 5
    image = rng.standard_normal((6 * max(layers, 1), side, side, 1)).astype(np.float32)
    at = rng.standard_normal((200, 3)).astype(np.float32)
    flags = CUBEMAP | (LAYERED if layers else 0)
    setting = (WRAP, filtered, AS_IT_IS, 1)
    result = textures("from layers", side, side, len(image), len(at), flags, *setting, inputs=(image, at))
    assert (result.status, result.stderr) == (0, "")
    found = np.frombuffer(result.stdout, np.float32)
    within = (CLAMP, filtered, AS_IT_IS, 1)
    for i, direction in enumerate(at):
        face, s, t = on_cube(direction)
        plane = image[(i % layers if layers else 0) * 6 + face]
        texel = expected(plane, np.array([[s, t]], np.float32), within)[0, 0]
        assert abs(found[i] - texel) < (0.03 if filtered else 1e-6), (i, direction)


def test_gather(textures: Program, rng: np.random.Generator) -> None:
    image = rng.standard_normal((5, 8, 2)).astype(np.float32)
    at = rng.uniform(-2, 10, (100, 2)).astype(np.float32)
    result = textures("gather", 8, 5, len(at), CLAMP, POINT, AS_IT_IS, 0, inputs=(image, at))
    assert (result.status, result.stderr) == (0, "")
    found = np.frombuffer(result.stdout, np.float32).reshape(-1, 4)
    (left, right), (up, down) = (neighbours(at[:, axis], (8, 5)[axis], CLAMP, LINEAR, 0)[0] for axis in (0, 1))
    which = np.arange(len(at)) % 2
    for corner, (x, y) in enumerate(((left, down), (right, down), (right, up), (left, up))):
        np.testing.assert_array_equal(found[:, corner], image[y, x, which])


def test_layers_of_surfaces(textures: Program) -> None:
    result = textures("layers of surfaces")
    assert (result.status, result.stderr) == (0, "")
    found = np.frombuffer(result.stdout, np.int32)
    layer, x = np.indices((6, 3))
    np.testing.assert_array_equal(found[:18].reshape(6, 3), 1000 + 10 * x + layer)
    layer, y, x = np.indices((6, 3, 3))
    for box in found[18:].reshape(2, 6, 3, 3):
        np.testing.assert_array_equal(box, 1000 + 100 * x + 10 * y + layer)


def test_errors_with_layers(textures: Program) -> None:
    result = textures("errors with layers")
    assert result.facts == {
        "no layers": "musaErrorInvalidValue",
        "too many layers": "musaErrorInvalidValue",
        "five faces": "musaErrorInvalidValue",
        "faces that are no squares": "musaErrorInvalidValue",
        "seven faces": "musaErrorInvalidValue",
        "two cubes": "musaSuccess",
        "a box to gather from": "musaErrorInvalidValue",
        "sparse": "musaErrorNotSupported",
        "a line with layers": "musaSuccess",
        "what it is": "musaSuccess",
        "size": "4 0 3, flags 1",
        "read as a line": "musaErrorIllegalAddress",
    }
    assert "a texture with layers or a cube map is not read by its own functions" in result.stderr


def test_errors(textures: Program) -> None:
    result = textures("errors")
    assert result.facts == {
        "surface without its flag": "musaErrorInvalidValue",
        "surface of memory": "musaErrorInvalidValue",
        "integers between": "musaErrorInvalidFilterSetting",
        "32 bits as fractions": "musaErrorInvalidNormSetting",
        "good": "musaSuccess",
        "what it is": "musaSuccess",
        "same array": "1",
        "destroy": "musaSuccess",
        "destroy again": "musaErrorInvalidValue",
        "destroyed": "musaErrorInvalidValue",
        "sRGB of integers": "musaErrorNotSupported",
        "askew": "musaErrorInvalidValue",
        "beyond": "musaErrorInvalidValue",
        "an array as a mipmapped one": "musaErrorInvalidResourceHandle",
        "nothing": "musaErrorInvalidValue",
    }
    assert result.stderr.splitlines() == ["[musa-sim] sRGB colors that are no fractions of 8 bits are not simulated"]


def test_a_launched_kernel_keeps_the_objects_that_are_destroyed_before_it_runs(textures: Program) -> None:
    result = textures("destroyed early")
    assert result.facts == {
        "destroy texture": "musaSuccess",
        "destroy surface": "musaSuccess",
        "destroy again": "musaErrorInvalidValue",
        "destroyed": "musaErrorInvalidValue",
        "other object": "1",
        "run": "musaSuccess",
        **{f"element {i}": f"{i + 1} {i + 1}" for i in range(4)},
        "run again": "musaErrorIllegalAddress",
    }
    assert "is no texture object, or was destroyed" in result.stderr


@pytest.mark.parametrize(
    ("case", "error", "words"),
    [
        ("outside", "musaErrorIllegalAddress", "a surface is used outside of its array"),
        ("askew", "musaErrorMisalignedAddress", "an offset in a surface is no multiple of the element's size"),
        ("no texture", "musaErrorIllegalAddress", "0x3039 is no texture object, or was destroyed"),
    ],
)
def test_faults(textures: Program, case: str, error: str, words: str) -> None:
    result = textures(f"fault {case}")
    assert result.facts == {"result": error}
    assert words in result.stderr


def test_the_memory_check_sees_that_a_textures_memory_was_freed(textures: Program) -> None:
    result = textures("fault freed", env={"MUSA_SIM_CHECK": "memory"})
    assert result.facts == {"result": "musaErrorIllegalAddress"}
    assert "the memory of a texture object was freed" in result.stderr
