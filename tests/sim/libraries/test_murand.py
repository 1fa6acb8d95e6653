"""muRAND: published known answers, the definitions in Python, and the moments of the distributions."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest
from library_programs import STANDARDS, Build
from sim_programs import Program

MASK = 0xFFFFFFFF

# Random123's kat_vectors, philox4x32 with 10 rounds: counter, key, result
KNOWN_PHILOX = [
    ([0] * 4, [0] * 2, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
    ([MASK] * 4, [MASK] * 2, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
    (
        [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
        [0xA4093822, 0x299F31D0],
        [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
    ),
]


@pytest.fixture(scope="module", params=STANDARDS)
def murand(build: Build, request: pytest.FixtureRequest) -> Program:
    return build("murand.mu", libraries=["murand"], flags=[request.param])


@pytest.mark.parametrize(("counter", "key", "expected"), KNOWN_PHILOX)
def test_philox_known_answers(murand: Program, counter: list[int], key: list[int], expected: list[int]) -> None:
    words = np.array([*counter, *key], np.uint32)
    np.testing.assert_array_equal(murand.array(np.uint32, "philox_block", inputs=[words]), expected)


def philox(seed: int, subsequence: int, position: int) -> int:
    """Number `position` of a subsequence, from the paper's definition."""
    block = (subsequence << 64) + position // 4
    c = [block >> 32 * i & MASK for i in range(4)]
    k = [seed & MASK, seed >> 32]
    for _ in range(10):
        p, q = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [q >> 32 ^ c[1] ^ k[0], q & MASK, p >> 32 ^ c[3] ^ k[1], p & MASK]
        k = [(k[0] + 0x9E3779B9) & MASK, (k[1] + 0xBB67AE85) & MASK]
    return c[position % 4]


@pytest.mark.parametrize(
    ("seed", "subsequence", "offset"),
    [(0, 0, 0), (1234, 5, 3), (0xDEADBEEF12345678, 2**40 + 9, 2**35 + 6), (7, 2**64 - 1, 2**64 - 2)],
)
def test_philox_sequences(murand: Program, seed: int, subsequence: int, offset: int) -> None:
    got = murand.array(np.uint32, "philox", seed, subsequence, offset)
    expected = [philox(seed, subsequence, offset + i) for i in range(16)]
    if offset + 16 < 2**64:  # the offset's carry out of 64 bits goes into the subsequence
        np.testing.assert_array_equal(got[:16], expected)
    np.testing.assert_array_equal(got[:8], got[16:])


# XORWOW: the register as a number of 160 bits, the oldest word lowest


def xorwow_step(v: int) -> int:
    words = [v >> 32 * i & MASK for i in range(5)]
    t = words[0] ^ words[0] >> 2
    new = (words[4] ^ words[4] << 4 ^ t ^ t << 1) & MASK
    return v >> 32 | new << 128


def test_xorwow_known_answers(murand: Program) -> None:
    """Marsaglia's start; the first three numbers are those published for it."""
    got = murand.array(np.uint32, "marsaglia")[:8]
    np.testing.assert_array_equal(got[:3], [246875399, 3690007200, 1264581005])
    v = sum(word << 32 * i for i, word in enumerate([123456789, 362436069, 521288629, 88675123, 5783321]))
    d = 6615241
    for value in got:
        v, d = xorwow_step(v), (d + 362437) & MASK
        assert value == (d + (v >> 128)) & MASK


def xorwow_start(seed: int) -> tuple[int, int]:
    low = 1228688033 * ((seed & MASK) ^ 0x2C7F967F) & MASK
    high = 2073658381 * (seed >> 32 ^ 0xA03697CB) & MASK
    words = [123456789 + low, 362436069 ^ low, 521288629 + high, 88675123 ^ high, 5783321 + low]
    return sum((word & MASK) << 32 * i for i, word in enumerate(words)), 6615241 + high + low


def xorwow_power(v: int, exponent: int) -> int:
    """v after `exponent` steps, by squaring the step's matrix: column i is the image of bit i."""

    def apply(columns: np.ndarray, vector: np.ndarray) -> np.ndarray:
        return columns.astype(np.float32).dot(vector.astype(np.float32)).astype(np.int64) % 2

    def to_bits(number: int) -> np.ndarray:
        return np.array([number >> i & 1 for i in range(160)], np.int64)

    matrix = np.stack([to_bits(xorwow_step(1 << i)) for i in range(160)], 1)
    vector = to_bits(v)
    while exponent:
        if exponent & 1:
            vector = apply(matrix, vector)
        matrix = apply(matrix, matrix)
        exponent >>= 1
    return sum(1 << i for i in range(160) if vector[i])


@pytest.mark.parametrize(
    ("seed", "subsequence", "offset"),
    [(0, 0, 0), (42, 0, 1000), (0xDEADBEEF12345678, 1, 0), (99, 4097, 2**33 + 5), (1, 2**63 + 1, 2**64 - 1)],
)
def test_xorwow_sequences(murand: Program, seed: int, subsequence: int, offset: int) -> None:
    got = murand.array(np.uint32, "xorwow", seed, subsequence, offset)
    v, d = xorwow_start(seed)
    steps = (subsequence << 67) + offset
    v, d = xorwow_power(v, steps), d + 362437 * steps
    for value in got[:16]:
        v, d = xorwow_step(v), d + 362437
        assert value == (d + (v >> 128)) & MASK
    np.testing.assert_array_equal(got[:8], got[16:])


# MRG32k3a: the recurrences, and their jumps as powers of matrices

MRG = [(4294967087, [-810728, 1403580, 0]), (4294944443, [-1370589, 0, 527612])]


def mrg_numbers(seed: int, skipped: int, count: int) -> list[int]:
    """The published numbers, 1 to m1, after so many others."""
    components = []
    for modulus, coefficients in MRG:
        matrix = np.array([[0, 1, 0], [0, 0, 1], [c % modulus for c in coefficients]], dtype=object)
        state = np.array([(seed & MASK) ^ 12345, seed >> 32 ^ 12345, 12345], dtype=object) % modulus
        exponent = skipped
        power = matrix
        while exponent:
            if exponent & 1:
                state = power.dot(state) % modulus
            power = power.dot(power) % modulus
            exponent >>= 1
        numbers = []
        for _ in range(count):
            state = matrix.dot(state) % modulus
            numbers.append(int(state[2]))
        components.append(numbers)
    return [(x - y) % MRG[0][0] or MRG[0][0] for x, y in zip(*components)]


def test_mrg_known_answers(murand: Program) -> None:
    """Six times 12345; the first numbers that L'Ecuyer's RngStreams makes of it."""
    uniform = murand.array(np.float64, "lecuyer")
    np.testing.assert_allclose(uniform[:3], [0.127011122046577, 0.318527565396794, 0.309186015655701], atol=1e-14)
    np.testing.assert_allclose(uniform, np.array(mrg_numbers(0, 0, 5)) / 4294967088, rtol=1e-15)


@pytest.mark.parametrize(
    ("seed", "subsequence", "offset"),
    [(0, 0, 0), (42, 0, 1000), (0xDEADBEEF12345678, 1, 0), (99, 4097, 2**33 + 5), (1, 2**64 - 1, 2**64 - 1)],
)
def test_mrg_sequences(murand: Program, seed: int, subsequence: int, offset: int) -> None:
    got = murand.array(np.uint32, "mrg", seed, subsequence, offset)
    numbers = mrg_numbers(seed, (subsequence << 76) + offset, 16)
    np.testing.assert_array_equal(got[:16], [(z - 1) * MASK // 4294967086 for z in numbers])
    np.testing.assert_array_equal(got[:8], got[16:])


def test_functions_of_four(murand: Program) -> None:
    rows = murand.array(np.float32, "fours", 11).reshape(3, 4)
    x = np.array([philox(11, 7, 3 + i) for i in range(8)])
    np.testing.assert_array_equal(rows[0], x[:4].astype(np.float32))
    u = (x + 0.5) / 2**32
    np.testing.assert_allclose(rows[1], u[:4], rtol=1e-6)
    radius = np.sqrt(-2 * np.log(u[4::2]))
    angle = 2 * np.pi * u[5::2]
    expected = np.stack([radius * np.sin(angle), radius * np.cos(angle)], 1).ravel()
    np.testing.assert_allclose(rows[2], expected, rtol=2e-4, atol=2e-6)


def check_moments(x: np.ndarray, mean: float, variance: float) -> None:
    """Mean and variance within five standard errors, for numbers without extreme tails."""
    x = x.astype(np.float64)
    error = math.sqrt(variance / x.size)
    assert abs(x.mean() - mean) < 5 * error
    spread = math.sqrt(((x - mean) ** 2).var() / x.size)
    assert abs(x.var() - variance) < 5 * spread


def check_lognormal(x: np.ndarray) -> None:
    check_moments(np.log(x), 0.5, 0.25**2)


@pytest.mark.parametrize("generator", ["philox", "xorwow", "mrg"])
def test_distributions(murand: Program, generator: str) -> None:
    rows = murand.array(np.float32, f"distributions_{generator}", 2024).reshape(7, -1)
    for uniform in rows[:2]:
        assert uniform.min() > 0
        assert uniform.max() <= 1
        check_moments(uniform, 0.5, 1 / 12)
        counts = np.histogram(uniform, 64, (0, 1))[0]
        expected = uniform.size / 64
        assert ((counts - expected) ** 2 / expected).sum() < 63 + 5 * math.sqrt(2 * 63)
    for normal in rows[2:4]:
        check_moments(normal, 0, 1)
        inside = (np.abs(normal) < 1).mean()
        assert abs(inside - 0.682689) < 5 * math.sqrt(0.683 * 0.317 / normal.size)
    check_lognormal(rows[4])
    for mean, poisson in ((3.0, rows[5]), (50.0, rows[6])):
        np.testing.assert_array_equal(poisson, np.floor(poisson))
        check_moments(poisson, mean, mean)
    correlations = np.corrcoef(rows[[0, 1, 2, 3, 5, 6]]) - np.eye(6)
    assert np.abs(correlations).max() < 5 / math.sqrt(rows.shape[1])


@pytest.mark.parametrize("generator", ["philox", "xorwow", "mrg"])
def test_host_api(murand: Program, generator: str) -> None:
    seed, offset, n = 77, 4099, 10000
    # with the check for host code that touches device memory, which the library's work is not
    result = murand(f"host_{generator}", seed, 0, offset, env={"MUSA_SIM_CHECK": "host"})
    assert (result.status, result.stderr) == (0, "")
    raw = result.stdout
    numbers = np.frombuffer(raw, np.uint32, n)
    uniform, normal = np.frombuffer(raw, np.float32, 2 * n, 4 * n).reshape(2, n)
    lognormal = np.frombuffer(raw, np.float64, n, 12 * n)
    poisson, on_host = np.frombuffer(raw, np.uint32, 2 * n, 20 * n).reshape(2, n)
    np.testing.assert_array_equal(numbers, on_host)
    if generator == "philox":
        np.testing.assert_array_equal(numbers[:50], [philox(seed, 0, offset + i) for i in range(50)])
        following = np.array([philox(seed, 0, offset + n + i) for i in range(50)])
        np.testing.assert_allclose(uniform[:50], (following + 0.5) / 2**32, rtol=1e-6)
    else:
        for i in (0, 1, 4092, 4093, 9000):  # number p is the one at p // 4096 of subsequence p % 4096
            subsequence, position = (offset + i) % 4096, (offset + i) // 4096
            start = murand.array(np.uint32, generator, seed, subsequence, position)
            assert numbers[i] == start[0]
    check_moments(uniform, 0.5, 1 / 12)
    check_moments(normal, 3, 4)
    check_lognormal(lognormal)
    check_moments(poisson, 12, 12)


def test_refusals(murand: Program) -> None:
    facts = murand("refusals").facts
    assert facts == {
        "mtgp": "103",
        "never_created": "101",
        "odd": "105",
        "pseudo_dimensions": "103",
        "pseudo_order": "104",
        "pseudo_64": "103",
        "quasi_seed": "103",
        "quasi_order": "104",
        "no_dimensions": "104",
        "many_dimensions": "104",
        "part_of_a_point": "105",
        "quasi_32": "103",
        "set": "104",
        "destroyed": "101",
    }


# Sobol's sequences: torch has Joe and Kuo's direction numbers as well, with 30 bits.


@pytest.fixture(scope="module")
def vectors(murand: Program) -> dict[str, np.ndarray]:
    """Return all direction vectors, one row per dimension."""
    raw = murand("sobol_tables").stdout
    narrow = np.frombuffer(raw, np.uint32, 2 * 20000 * 32).reshape(2, 20000, 32)
    wide = np.frombuffer(raw, np.uint64, 2 * 20000 * 64, narrow.nbytes).reshape(2, 20000, 64)
    return {"sobol32": narrow[0], "scrambled32": narrow[1], "sobol64": wide[0], "scrambled64": wide[1]}


def test_direction_vectors(vectors: dict[str, np.ndarray]) -> None:
    torch = pytest.importorskip("torch")
    known = torch.quasirandom.SobolEngine(20000).sobolstate.numpy().astype(np.uint32) << 2
    np.testing.assert_array_equal(vectors["sobol32"][:, :30], known)
    wide = vectors["sobol64"]
    np.testing.assert_array_equal(wide[:, :32] >> np.uint64(32), vectors["sobol32"])
    # The last vectors go on by the recurrences of the first.
    for dimension, degree in ((1, 1), (2, 2), (3, 3), (7, 5), (100, 9), (19999, 18)):
        obeys_a_recurrence([int(v) for v in wide[dimension]], degree)


def obeys_a_recurrence(v: list[int], s: int) -> None:
    """Check that v[i] ^ v[i - s] ^ v[i - s] >> s is the sum of the same of the s - 1 vectors before v[i], for all i."""
    later = range(s, 64)
    rest = sum((v[i] ^ v[i - s] ^ v[i - s] >> s) << 64 * i for i in later)
    basis: list[int] = []
    for j in range(1, s):
        row = sum(v[i - j] << 64 * i for i in later)
        for other in basis:
            row = min(row, row ^ other)
        basis = sorted([*basis, row], reverse=True) if row else basis
    for other in basis:
        rest = min(rest, rest ^ other)
    assert rest == 0


@pytest.mark.parametrize("kind", ["sobol32", "sobol64"])
def test_points_of_sobol(murand: Program, kind: str) -> None:
    torch = pytest.importorskip("torch")
    dimensions, points, offset = 7, 1000, 123
    word = np.uint32 if kind == "sobol32" else np.uint64
    halves, on_host = np.split(murand.array(word, kind, dimensions, points, offset), 2)
    numbers = np.concatenate(np.split(halves.reshape(2 * dimensions, points // 2), 2), 1)
    np.testing.assert_array_equal(numbers, on_host.reshape(dimensions, points))
    engine = torch.quasirandom.SobolEngine(dimensions)
    engine.fast_forward(offset)
    expected = (engine.draw(points, dtype=torch.float64).numpy().T * 2**30).astype(np.uint64)
    np.testing.assert_array_equal(numbers >> word(numbers.itemsize * 8 - 30), expected)


@pytest.mark.parametrize("kind", ["scrambled32", "scrambled64"])
def test_scrambled_points_are_spread_as_well(murand: Program, kind: str) -> None:
    dimensions, points = 40, 1024
    word = np.uint32 if kind == "scrambled32" else np.uint64
    halves, on_host = np.split(murand.array(word, kind, dimensions, points, 0), 2)
    numbers = np.concatenate(np.split(halves.reshape(2 * dimensions, points // 2), 2), 1)
    np.testing.assert_array_equal(numbers, on_host.reshape(dimensions, points))
    cells = np.sort(numbers >> word(numbers.itemsize * 8 - 10), axis=1)
    np.testing.assert_array_equal(cells, np.tile(np.arange(points, dtype=word), (dimensions, 1)))
    # The first two dimensions fill all boxes of equal area, as those that are not scrambled do.
    x, y = numbers[:2]
    for of_x in range(11):
        box = (x >> word(x.itemsize * 8 - 10) >> word(10 - of_x)) << word(10 - of_x)
        box |= y >> word(y.itemsize * 8 - 10) >> word(of_x)
        assert len(set(box.tolist())) == points
    assert len(set(numbers[:, 0].tolist())) == dimensions


def poisson_quantile(u: float, mean: float) -> int:
    share = math.exp(-mean)
    total, k = share, 0
    while total < u:
        k += 1
        share *= mean / k
        total += share
    return k


@pytest.mark.parametrize(("dimension", "offset"), [(0, 0), (1, 5), (777, 2**31 + 3), (19999, 2**20 - 3)])
def test_sobols_states(murand: Program, vectors: dict[str, np.ndarray], dimension: int, offset: int) -> None:
    raw, n = murand("sobol_kernels", dimension, offset).stdout, 64
    normal = NormalDist()
    for kind, table in sorted(vectors.items(), key=lambda item: list(vectors).index(item[0])):
        numbers, raw = np.frombuffer(raw, table.dtype, 2 * n), raw[2 * n * table.itemsize :]
        values, raw = np.frombuffer(raw, np.float64, 6 * n).reshape(6, n), raw[6 * n * 8 :]
        np.testing.assert_array_equal(numbers[:n], numbers[n:])
        bits = table.itemsize * 8
        v = [int(one) for one in table[dimension]]
        changes = [int(numbers[i]) ^ int(numbers[i + 1]) for i in range(n - 1)]
        assert changes == [v[((offset + i + 1) & -(offset + i + 1)).bit_length() - 1] for i in range(n - 1)]
        if kind.startswith("sobol"):
            gray = offset ^ offset >> 1
            first = 0
            for bit in range(bits):
                first ^= v[bit] * (gray >> bit & 1)
            assert numbers[0] == first
        x = [int(number) for number in numbers[:n]]
        top = [number >> (bits - 32) for number in x]
        np.testing.assert_allclose(values[0], [(t + 0.5) / 2**32 for t in top], rtol=1e-6)
        u = [(t + 1) / 2**32 for t in x] if bits == 32 else [((t >> 11) + 0.5) / 2**53 for t in x]
        np.testing.assert_allclose(values[1], u, rtol=1e-15)
        middle = [(t + 0.5) / 2**32 for t in x] if bits == 32 else u
        quantiles = [normal.inv_cdf(m) for m in middle]
        of_top = [normal.inv_cdf((t + 0.5) / 2**32) for t in top]
        np.testing.assert_allclose(values[2], of_top, rtol=3e-7, atol=3e-7)
        np.testing.assert_allclose(values[3], quantiles, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(values[4], np.exp(0.5 + 0.25 * np.array(quantiles)), rtol=1e-9)
        assert [int(k) for k in values[5]] == [poisson_quantile(m, 3 if i % 2 else 500) for i, m in enumerate(middle)]


@pytest.mark.parametrize("mean", [0.3, 4.0, 77.5, 3000.0])
def test_the_last_poisson_number_of_sobol(build: Build, mean: float) -> None:
    """P(N > k) < 2**-50 for this k, and it is about the least: the sum of the distribution may stay below 1."""
    result = build("murand_last_sobol.mu", libraries=["murand"])(str(mean))
    assert (result.status, result.stderr) == (0, "")
    k, uniform = result.stdout.split()
    assert float(uniform) == 1.0

    def above(number: int) -> float:
        terms = (math.exp(i * math.log(mean) - mean - math.lgamma(i + 1)) for i in range(number + 1, number + 2000))
        return math.fsum(terms)

    assert above(int(k)) < 2.0**-50 < above(int(k) - 6 - int(math.sqrt(mean)))


@pytest.mark.parametrize("mean", [0.3, 4.0, 77.5, 3000.0])
def test_a_table_gives_the_quantiles_of_uniform_numbers(build: Build, mean: float) -> None:
    result = build("murand_discrete.mu", libraries=["murand"])(str(mean))
    assert (result.status, result.stderr) == (0, "0\n")
    k = np.arange(1, int(mean + 20 * math.sqrt(mean) + 60))
    logarithms = np.concatenate([[-mean], -mean + np.cumsum(np.log(mean / k))])
    below = np.concatenate([[0], np.cumsum(np.exp(logarithms))])
    raw = result.stdout
    for count in (4096, 4096, 256):
        numbers, raw = np.frombuffer(raw, np.uint32, count), raw[4 * count :]
        uniform, raw = np.frombuffer(raw, np.float64, count), raw[8 * count :]
        assert len(np.unique(uniform)) == count
        assert (below[numbers] <= uniform + 1e-12).all() and (uniform <= below[numbers + 1] + 1e-12).all()
    assert raw == b""


@pytest.mark.parametrize("mean", ["0", "-1", "nan", "500000"])
def test_a_table_of_no_distribution_is_refused(build: Build, mean: str) -> None:
    result = build("murand_discrete.mu", libraries=["murand"])(mean)
    assert (result.status, result.stderr, result.stdout) == (0, "104\n", b"")
