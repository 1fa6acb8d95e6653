"""A CUDA extension with dropout, ported and built: it draws Philox4x32-10, and the generator counts what it draws."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch

from .conftest import PROGRAMS, BuildKept, RunPython

pytestmark = pytest.mark.slow  # the build is
SOURCES = Path(__file__).parent / "dropout"
THREADS = 3 * 96  # of every launch, as in csrc/dropout.cu
ROUND = THREADS * 4  # elements that all threads fill with one Philox block each

Words = npt.NDArray[np.uint32]


def philox(seed: int, subsequence: npt.NDArray[np.uint64], block: npt.NDArray[np.uint64]) -> Words:
    """Philox4x32-10 (Salmon et al., SC 2011): one row of four words per (subsequence, block), the counter's halves."""
    low32, shift = np.uint64(0xFFFFFFFF), np.uint64(32)
    c = [block & low32, block >> shift, subsequence & low32, subsequence >> shift]
    key = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        left, right = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        k0, k1 = np.uint64(key[0]), np.uint64(key[1])
        c = [right >> shift ^ c[1] ^ k0, right & low32, left >> shift ^ c[3] ^ k1, left & low32]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return np.stack(c, axis=1).astype(np.uint32)


def uniform(size: int, seed: int, offset: int) -> npt.NDArray[np.float32]:
    """Return the draws of the extension's kernels for `size` elements; `offset` is a multiple of 4."""
    fours = np.arange((size + 3) // 4, dtype=np.uint64)
    words = philox(seed, fours % np.uint64(THREADS), np.uint64(offset // 4) + fours // np.uint64(THREADS))
    numbers = words.reshape(-1)[:size].astype(np.float32) * np.float32(2**-32) + np.float32(2**-33)
    assert numbers.dtype == np.float32
    return numbers


@pytest.fixture(scope="session")
def library(build_kept: BuildKept) -> Path:
    """The extension of dropout/, ported and built."""
    return build_kept(SOURCES, "setup.py", "csrc/dropout.cu")


@pytest.fixture
def ops(library: Path) -> Any:
    """The extension's operators."""
    torch.ops.load_library(str(library))
    return torch.ops.musa_dropout


def seeded(seed: int) -> torch.Generator:
    return torch.Generator("musa").manual_seed(seed)


def test_reference_gives_the_published_answers() -> None:
    """The known answers of Random123 (kat_vectors, philox4x32 with 10 rounds)."""
    zero, ones = np.uint64([0]), np.uint64([2**64 - 1])
    assert [hex(word) for word in philox(0, zero, zero)[0]] == ["0x6627e8d5", "0xe169c58d", "0xbc57ac4c", "0x9b00dbd8"]
    assert [hex(word) for word in philox(2**64 - 1, ones, ones)[0]] == [
        "0x408f276d",
        "0x41c83b0e",
        "0xa20bc7c6",
        "0x6d5451fd",
    ]


@pytest.mark.parametrize("seed", [0, 7, 2**53 + 1, 2**64 - 1])
@pytest.mark.parametrize("size", [1, ROUND, 2 * ROUND + 5])
def test_numbers_are_philox_s(ops: Any, seed: int, size: int) -> None:
    generator = seeded(0)
    generator.set_state(torch.from_numpy(np.uint64([seed, 2**34]).view(np.uint8).copy()))
    wanted = uniform(size, seed, 2**34)
    np.testing.assert_array_equal(ops.uniform(size, 12, generator).cpu().numpy(), wanted)


def test_unpacking_what_a_captured_graph_would_pass(ops: Any) -> None:
    state = torch.tensor([99, 40], device="musa")
    np.testing.assert_array_equal(ops.uniform_captured(100, state, 8).cpu().numpy(), uniform(100, 99, 48))


@pytest.mark.parametrize("p", [0.0, 0.25, 0.9, 1.0])
def test_dropout_keeps_and_scales(ops: Any, p: float) -> None:
    x = torch.randn(50_001)
    y, mask = ops.dropout(x.musa(), p, seeded(3))
    kept = uniform(x.numel(), 3, 0) <= np.float32(1 - p)
    np.testing.assert_array_equal(mask.cpu().numpy(), kept)
    scale = np.float32(1) / np.float32(1 - p) if p < 1 else np.float32(0)
    np.testing.assert_array_equal(y.cpu().numpy(), np.where(kept, x.numpy() * scale, np.float32(0)))
    assert abs(mask.float().mean().item() - (1 - p)) < 0.01


@pytest.mark.parametrize("given", [True, False])
def test_seed_offset_and_state(ops: Any, given: bool) -> None:
    generator = torch.Generator("musa") if given else torch.musa.default_generators[0]
    argument = generator if given else None
    x = torch.ones(4 * ROUND, device="musa")

    def draw() -> torch.Tensor:
        mask: torch.Tensor = ops.dropout(x, 0.5, argument)[1]
        return mask.cpu()

    generator.manual_seed(11)
    assert generator.get_offset() == 0 and generator.initial_seed() == 11
    first = draw()
    assert generator.get_offset() == 16  # four rounds of four numbers
    state = generator.get_state()
    second = draw()
    assert not torch.equal(first, second)
    generator.set_state(state)
    assert generator.get_offset() == 16 and torch.equal(draw(), second)
    generator.manual_seed(11)
    assert generator.get_offset() == 0 and torch.equal(draw(), first)
    generator.set_offset(16)
    assert torch.equal(draw(), second)
    generator.manual_seed(12)
    assert not torch.equal(draw(), first)


def test_device_state_of_torch_musa_covers_kernels(ops: Any) -> None:
    x = torch.ones(1000, device="musa")
    torch.manual_seed(4)
    state = torch.musa.get_rng_state()
    first = ops.dropout(x, 0.5)[1]
    with torch.random.fork_rng(device_type="musa"):
        ops.dropout(x, 0.5)
    torch.musa.set_rng_state(state)
    assert torch.equal(ops.dropout(x, 0.5)[1], first)
    torch.manual_seed(4)
    assert torch.equal(ops.dropout(x, 0.5)[1], first)


@pytest.mark.parametrize(("increment", "taken"), [(0, 0), (1, 4), (4, 4), (5, 8), (2**32 + 1, 2**32 + 4)])
def test_increments_are_whole_blocks(ops: Any, increment: int, taken: int) -> None:
    generator = seeded(1)
    ops.uniform(8, increment, generator)
    assert generator.get_offset() == taken
    np.testing.assert_array_equal(ops.uniform(8, 4, generator).cpu().numpy(), uniform(8, 1, taken))


def test_operators_of_pytorch_and_kernels_share_the_offset(ops: Any) -> None:
    generator = seeded(5)
    torch.rand(1000, device="musa", generator=generator)
    assert generator.get_offset() == 4
    np.testing.assert_array_equal(ops.uniform(100, 4, generator).cpu().numpy(), uniform(100, 5, 4))


def test_threads_take_numbers_in_turns(ops: Any) -> None:
    generator = seeded(6)
    with ThreadPoolExecutor(4) as pool:
        draws = list(pool.map(lambda _: ops.uniform(1, 4, generator).item(), range(200)))
    assert generator.get_offset() == 4 * len(draws)
    assert sorted(draws) == sorted(uniform(1, 6, 4 * call)[0].item() for call in range(len(draws)))


def test_generator_of_another_device_is_refused(ops: Any) -> None:
    with pytest.raises(RuntimeError, match="Expected a 'musa' device type for generator but found 'cpu'"):
        ops.uniform(1, 4, torch.Generator())


WARPS = PROGRAMS / "dropout_by_warp_width.py"


@pytest.mark.parametrize("warp", [32, 128])
def test_width_of_warps_changes_nothing(library: Path, run_python: RunPython, warp: int) -> None:
    done = run_python(WARPS, str(library), MUSA_SIM_WARP=str(warp))
    assert done.returncode == 0, done.stderr
    unseeded, mask = done.stdout.splitlines()
    assert int(unseeded) != torch.Generator("musa").initial_seed(), "a device's own generator starts anywhere"
    assert mask == str((uniform(5000, 8, 0) <= np.float32(0.5)).astype(int).tolist())
