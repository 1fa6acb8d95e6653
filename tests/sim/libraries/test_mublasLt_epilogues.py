"""muBLASLt's auxiliary matrices, gradients, 8-bit floats and transformations against NumPy and torch."""

from __future__ import annotations

from dataclasses import astuple, dataclass, replace

import numpy as np
import numpy.typing as npt
import pytest
from data_types import BFLOAT, BYTE, COMPLEX, DOUBLE, DOUBLE_COMPLEX, E4M3, E5M2, HALF, OF_TORCH, SINGLE
from library_programs import Build
from sim_programs import Program

torch = pytest.importorskip("torch")  # its conversions of 8-bit floats and gradients

IN_FLOAT, IN_DOUBLE = 68, 70
RELU, RELU_AUX, RELU_AUX_BIAS, GELU_AUX, GELU_AUX_BIAS = 2, 130, 134, 160, 164
DRELU, DRELU_BGRAD, DGELU, DGELU_BGRAD, BGRADA, BGRADB = 136, 152, 192, 208, 256, 512
BIAS, PLAIN = 4, 1
MOST = {E4M3: 448.0, E5M2: 57344.0}
ULP = {SINGLE: 1e-6, DOUBLE: 1e-14, HALF: 1e-3, BFLOAT: 8e-3, E4M3: 0.07, E5M2: 0.14}

Array = npt.NDArray[np.float64]


@pytest.fixture(scope="module")
def lt(build: Build) -> Program:
    return build("mublasLt_epilogues.cpp", libraries=["mublasLt", "mublas"])


def encoded(values: Array, kind: int) -> bytes:
    """Round the values to a type, with saturation where it has 8 bits."""
    kept = torch.from_numpy(np.ascontiguousarray(values))
    if kind in MOST:
        kept = kept.clamp(-MOST[kind], MOST[kind])
    stored = kept.to(OF_TORCH[kind]).flatten().view(torch.uint8)
    return bytes(stored.numpy().tobytes())


def decoded(data: bytes, kind: int) -> Array:
    raw = torch.frombuffer(bytearray(data), dtype=torch.uint8).view(OF_TORCH[kind])
    wide = torch.complex128 if kind in (COMPLEX, DOUBLE_COMPLEX) else torch.float64
    found: Array = raw.to(wide).numpy()
    return found


def rounded(values: Array, kind: int) -> Array:
    return decoded(encoded(values, kind), kind).reshape(values.shape)


@dataclass(frozen=True)
class Product:
    """The numbers of a product, in the program's order."""

    type_a: int
    type_b: int
    type_c: int
    type_d: int
    type_bias: int
    type_aux: int
    compute: int
    scale: int
    epilogue: int
    rows: int = 7
    columns: int = 5
    depth: int = 9
    batches: int = 1
    biases: int = 0
    aux_ld: int = 0
    aux_bytes: int = 0
    explicit_types: int = 0
    scaled: int = 0


def same(kind: int, epilogue: int, **sizes: int) -> Product:
    """Return a product of matrices of one type, with room for the auxiliary matrix and the bias."""
    compute, scale = (IN_DOUBLE, DOUBLE) if kind == DOUBLE else (IN_FLOAT, SINGLE)
    return with_room(Product(*[kind] * 6, compute, scale, epilogue, **sizes))


def with_room(p: Product) -> Product:
    multiple = 128 if has_mask(p) else 8
    aux_ld = -(-p.rows // multiple) * multiple
    size = len(encoded(np.zeros(1), p.type_aux))
    count = aux_ld * p.columns * p.batches
    biases = p.columns if p.epilogue == BGRADB else p.rows
    return Product(*astuple(p)[:13], biases, aux_ld, count // 8 if has_mask(p) else count * size, *astuple(p)[16:])


def has_mask(p: Product) -> bool:
    return bool(p.epilogue & (RELU | 8))


def gelu(x: Array) -> Array:
    found: Array = torch.nn.functional.gelu(torch.from_numpy(x), approximate="tanh").numpy()
    return found


def gelu_gradient(upstream: Array, x: Array) -> Array:
    leaf = torch.from_numpy(x.copy()).requires_grad_()
    torch.nn.functional.gelu(leaf, approximate="tanh").backward(torch.from_numpy(upstream))
    found: Array = leaf.grad.numpy()
    return found


@dataclass(frozen=True)
class Outcome:
    """D, the bias, the auxiliary matrix (numbers, or truth values), and the largest magnitudes."""

    d: Array
    bias: Array
    aux: Array
    most: Array


def by_columns(matrices: Array) -> Array:
    return np.ascontiguousarray(matrices.transpose(0, 2, 1))


def aux_of(data: bytes, p: Product) -> Array:
    """Return the auxiliary matrix without its padding."""
    if has_mask(p):
        bits = np.unpackbits(np.frombuffer(data, np.uint8), bitorder="little").astype(np.float64)
    else:
        bits = decoded(data, p.type_aux)
    return bits.reshape(p.batches, p.columns, p.aux_ld).transpose(0, 2, 1)[:, : p.rows]


def aux_bytes(values: Array, p: Product) -> bytes:
    padded = np.zeros((p.batches, p.columns, p.aux_ld))
    padded[:, :, : p.rows] = values.transpose(0, 2, 1)
    return np.packbits(padded.astype(bool), bitorder="little").tobytes() if has_mask(p) else encoded(padded, p.type_aux)


@dataclass(frozen=True)
class Operands:
    """The operands of a product; A and B are op(A) and op(B)."""

    a: Array
    b: Array
    c: Array
    bias: Array
    aux: Array
    scales: Array


def operands(rng: np.random.Generator, p: Product, *, whole: bool = False) -> Operands:
    def draw(kind: int, *shape: int) -> Array:
        values = rng.integers(-6, 7, shape).astype(np.float64) if whole else rng.standard_normal(shape)
        return rounded(values, kind)

    mask_or_numbers = (
        rng.integers(0, 2, (p.batches, p.rows, p.columns)).astype(np.float64)
        if has_mask(p)
        else draw(p.type_aux, p.batches, p.rows, p.columns)
    )
    return Operands(
        draw(p.type_a, p.batches, p.rows, p.depth),
        draw(p.type_b, p.batches, p.depth, p.columns),
        draw(p.type_c, p.batches, p.rows, p.columns),
        draw(p.type_bias, p.batches, p.biases),
        mask_or_numbers,
        2.0 ** rng.integers(-2, 3, 4) if p.scaled else np.ones(4),
    )


def computed(lt: Program, p: Product, o: Operands) -> Outcome:
    inputs = (
        encoded(o.a, p.type_a),  # transposed, by columns
        encoded(by_columns(o.b), p.type_b),
        encoded(by_columns(o.c), p.type_c),
        encoded(o.bias, p.type_bias),
        aux_bytes(o.aux, p),
        o.scales.astype(np.float32).tobytes(),
    )
    result = lt("multiply", *astuple(p), inputs=[np.frombuffer(data, np.uint8) for data in inputs])
    assert (result.status, result.stderr) == (0, "")
    sizes = (len(encoded(by_columns(o.c), p.type_d)), len(inputs[3]), p.aux_bytes, 8)
    ends = np.cumsum(sizes)
    d, bias, aux, most = (result.stdout[end - size : end] for size, end in zip(sizes, ends))
    shape = (p.batches, p.columns, p.rows)
    return Outcome(
        decoded(d, p.type_d).reshape(shape).transpose(0, 2, 1),
        decoded(bias, p.type_bias).reshape(p.batches, p.biases),
        aux_of(aux, p),
        np.frombuffer(most, np.float32).astype(np.float64),
    )


def expected(p: Product, o: Operands) -> Outcome:
    a_scale, b_scale, d_scale, aux_scale = o.scales
    values = 0.5 * a_scale * b_scale * (o.a @ o.b) + 2 * o.c
    aux, bias, most = o.aux, o.bias, np.zeros(2)
    if p.epilogue & BIAS:
        values = values + o.bias[:, :, None]
    if p.epilogue in (RELU_AUX, RELU_AUX_BIAS):
        aux, values = (values > 0).astype(np.float64), np.maximum(values, 0)
    elif p.epilogue in (GELU_AUX, GELU_AUX_BIAS):
        most[1] = np.abs(values).max() if p.scaled and p.explicit_types else 0
        aux, values = values * (aux_scale if p.explicit_types else 1), gelu(values)
    elif p.epilogue in (DRELU, DRELU_BGRAD):
        values = values * o.aux
    elif p.epilogue in (DGELU, DGELU_BGRAD):
        values = gelu_gradient(values, o.aux)
    if p.epilogue in (DRELU_BGRAD, DGELU_BGRAD):
        bias = values.sum(2)
    elif p.epilogue in (BGRADA, BGRADB):
        bias = o.a.sum(2) if p.epilogue == BGRADA else o.b.sum(1)
    if p.type_d in MOST and p.scaled:
        most[0] = np.abs(values).max()
        values = values * d_scale
    return Outcome(values, bias, aux, most)


def agrees(lt: Program, p: Product, o: Operands) -> None:
    found, reference = computed(lt, p, o), expected(p, o)
    for got, want, kind in (
        (found.d, reference.d, p.type_d),
        (found.bias, reference.bias, p.type_bias),
        (found.aux, reference.aux, SINGLE if has_mask(p) else p.type_aux),
        (found.most, reference.most, SINGLE),
    ):
        np.testing.assert_allclose(got, want, rtol=0, atol=ULP[kind] * max(1.0, np.abs(want).max(initial=0)))


ALL = (RELU_AUX, RELU_AUX_BIAS, GELU_AUX, GELU_AUX_BIAS, DRELU, DRELU_BGRAD, DGELU, DGELU_BGRAD, BGRADA, BGRADB)


@pytest.mark.parametrize("epilogue", ALL)
@pytest.mark.parametrize("kind", [SINGLE, DOUBLE, HALF, BFLOAT], ids=["float", "double", "half", "bfloat16"])
def test_epilogues(lt: Program, rng: np.random.Generator, kind: int, epilogue: int) -> None:
    p = same(kind, epilogue)
    agrees(lt, p, operands(rng, p))


@pytest.mark.parametrize("epilogue", [RELU_AUX_BIAS, DGELU_BGRAD, BGRADB])
def test_batches_and_sizes(lt: Program, rng: np.random.Generator, epilogue: int) -> None:
    p = same(SINGLE, epilogue, rows=140, columns=13, depth=33, batches=3)
    agrees(lt, p, operands(rng, p))


# Integers and powers of two: the sums are exact, so results of 8 bits have to be equal.
@pytest.mark.parametrize(
    ("type_a", "type_b", "type_c", "type_d"),
    [
        (E4M3, E4M3, BFLOAT, BFLOAT),
        (E4M3, E5M2, HALF, HALF),
        (E5M2, E4M3, SINGLE, SINGLE),
        (E4M3, E4M3, BFLOAT, E4M3),
        (E5M2, E4M3, HALF, E5M2),
    ],
)
@pytest.mark.parametrize("epilogue", [PLAIN, BIAS, RELU_AUX_BIAS])
def test_floats_of_8_bits(
    lt: Program, rng: np.random.Generator, type_a: int, type_b: int, type_c: int, type_d: int, epilogue: int
) -> None:
    beside = BFLOAT if type_d == SINGLE else type_c
    p = Product(type_a, type_b, type_c, type_d, beside, beside, IN_FLOAT, SINGLE, epilogue, 19, 6, 24, 2, scaled=1)
    p = with_room(p)
    o = operands(rng, p, whole=True)
    found, reference = computed(lt, p, o), expected(p, o)
    np.testing.assert_array_equal(found.d, rounded(reference.d, type_d))
    np.testing.assert_array_equal(found.most, reference.most)
    if epilogue == RELU_AUX_BIAS:
        np.testing.assert_array_equal(found.aux, reference.aux)


@pytest.mark.parametrize("batches", [1, 3])
def test_types_of_bias_and_auxiliary_matrix(lt: Program, rng: np.random.Generator, batches: int) -> None:
    p = Product(E4M3, E4M3, BFLOAT, E4M3, HALF, E5M2, IN_FLOAT, SINGLE, GELU_AUX_BIAS, explicit_types=1, scaled=1)
    p = with_room(replace(p, batches=batches))
    o = operands(rng, p)
    o.c[0] *= 8  # the largest numbers are in the first batch
    agrees(lt, p, o)


COLUMNS, ROWS = 0, 1
AS_IT_IS, TRANSPOSE, ADJOINT = 0, 1, 2


@pytest.mark.parametrize(
    ("a", "b", "c", "scale"),
    [
        ((SINGLE, COLUMNS, TRANSPOSE), (SINGLE, ROWS, AS_IT_IS), (SINGLE, ROWS), SINGLE),
        ((HALF, ROWS, AS_IT_IS), (SINGLE, COLUMNS, TRANSPOSE), (BFLOAT, COLUMNS), SINGLE),
        ((DOUBLE, ROWS, TRANSPOSE), (DOUBLE, ROWS, TRANSPOSE), (DOUBLE, COLUMNS), DOUBLE),
        ((COMPLEX, ROWS, ADJOINT), (COMPLEX, COLUMNS, TRANSPOSE), (COMPLEX, ROWS), COMPLEX),
        ((DOUBLE_COMPLEX, ROWS, AS_IT_IS), (DOUBLE_COMPLEX, ROWS, ADJOINT), (DOUBLE_COMPLEX, ROWS), DOUBLE_COMPLEX),
        ((E4M3, COLUMNS, AS_IT_IS), (HALF, ROWS, AS_IT_IS), (SINGLE, ROWS), SINGLE),
    ],
)
@pytest.mark.parametrize("with_b", [0, 1], ids=["one", "two"])
def test_transformations(
    lt: Program,
    rng: np.random.Generator,
    a: tuple[int, int, int],
    b: tuple[int, int, int],
    c: tuple[int, int],
    scale: int,
    with_b: int,
) -> None:
    rows, columns, batches = 6, 11, 2
    shape = (batches, rows, columns)

    def draw(kind: int, *sizes: int) -> Array:
        values = rng.standard_normal(sizes)
        return rounded(values + 1j * rng.standard_normal(sizes) if kind in (COMPLEX, DOUBLE_COMPLEX) else values, kind)

    def stored(values: Array, kind: int, order: int, operation: int) -> bytes:
        """Return the matrix whose op() the values are."""
        turned = values if operation == AS_IT_IS else values.transpose(0, 2, 1)
        turned = turned.conj() if operation == ADJOINT else turned
        return encoded(by_columns(turned) if order == COLUMNS else turned, kind)

    scalars, left, right = draw(scale, 2), draw(a[0], *shape), draw(b[0], *shape)
    inputs = (encoded(scalars, scale), stored(left, *a), stored(right, *b))
    numbers = (*a, *b, *c, scale, rows, columns, batches, with_b, with_b)
    # the layouts of operands that are transposed have the transposed sizes
    result = lt("transform", *numbers, inputs=[np.frombuffer(data, np.uint8) for data in inputs])
    assert (result.status, result.stderr) == (0, "")
    found = decoded(result.stdout, c[0])
    found = found.reshape(batches, columns, rows).transpose(0, 2, 1) if c[1] == COLUMNS else found.reshape(shape)
    want = scalars[0] * left + (scalars[1] * right if with_b else 0)
    np.testing.assert_allclose(found, want, rtol=0, atol=ULP.get(c[0], 1e-6) * np.abs(want).max())


def test_integers_are_rounded_to_even_and_saturated(lt: Program) -> None:
    values = np.array([[[0.5, 1.5, 2.5, -0.5, -1.5, 127.5, 300.0, -1000.0]]])
    inputs = (encoded(np.array([1.0, 0.0]), SINGLE), encoded(values, SINGLE), encoded(values, SINGLE))
    numbers = (SINGLE, ROWS, AS_IT_IS, SINGLE, ROWS, AS_IT_IS, BYTE, ROWS, SINGLE, 1, 8, 1, 0, 0)
    result = lt("transform", *numbers, inputs=[np.frombuffer(data, np.uint8) for data in inputs])
    assert np.frombuffer(result.stdout, np.int8).tolist() == [0, 2, 2, 0, -2, 127, 127, -128]


def test_refusals(lt: Program) -> None:
    result = lt("refused")
    invalid, missing = "MUBLAS_STATUS_INVALID_VALUE", "MUBLAS_STATUS_NOT_IMPLEMENTED"
    assert (result.status, result.stderr) == (0, "")
    assert result.facts == {
        "fits": "MUBLAS_STATUS_SUCCESS",
        "a mask's leading dimension": invalid,
        "a short auxiliary matrix": invalid,
        "no auxiliary matrix": invalid,
        "no memory for the gradient": invalid,
        "a factor of a float matrix": missing,
        "a factor of C beside floats": missing,
        "both of E5M2": missing,
        "tiles": invalid,
        "planes": missing,
        "a triangle": missing,
        "no such algorithm": invalid,
    }
