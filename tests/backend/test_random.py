"""Random numbers on musa."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import pytest
import torch

from .conftest import PROGRAMS, RunPython

DRAWS: dict[str, Callable[[], torch.Tensor]] = {
    "randn": lambda: torch.randn(7, device="musa"),
    "rand": lambda: torch.rand(7, device="musa", dtype=torch.float64),
    "randint": lambda: torch.randint(0, 1000, (7,), device="musa"),
    "randperm": lambda: torch.randperm(50, device="musa"),
    "bernoulli": lambda: torch.full((50,), 0.5, device="musa").bernoulli(),
    "multinomial": lambda: torch.ones(50, device="musa").multinomial(10),
    "exponential": lambda: torch.empty(7, device="musa").exponential_(),
    "normal": lambda: torch.normal(torch.zeros(7, device="musa"), 1.0),
    "dropout": lambda: torch.nn.functional.dropout(torch.ones(200, device="musa"), 0.3),
    "poisson": lambda: torch.poisson(torch.full((50,), 4.0, device="musa")),
}


@pytest.mark.parametrize("name", DRAWS)
def test_seed_decides_and_the_sequence_continues(name: str) -> None:
    draw = DRAWS[name]
    torch.manual_seed(5)
    first, second = draw(), draw()
    assert not torch.equal(first, second)
    torch.musa.manual_seed_all(5)
    assert torch.equal(draw(), first) and torch.equal(draw(), second)
    state = torch.musa.get_rng_state()
    third = draw()
    torch.musa.set_rng_state(state)
    assert torch.equal(draw(), third)


@pytest.mark.parametrize("name", DRAWS)
def test_device_and_cpu_have_their_own_sequences(name: str) -> None:
    torch.manual_seed(5)
    wanted = torch.randn(3)
    torch.manual_seed(5)
    DRAWS[name]()
    assert torch.equal(torch.randn(3), wanted)


def test_generators() -> None:
    generator = torch.Generator("musa")
    assert generator.device == torch.device("musa:0")
    generator.manual_seed(3)
    first = torch.rand(4, generator=generator, device="musa")
    copy = generator.clone_state()
    second = torch.rand(4, generator=generator, device="musa")
    assert torch.equal(torch.rand(4, generator=copy, device="musa"), second)
    generator.manual_seed(3)
    assert torch.equal(torch.rand(4, generator=generator, device="musa"), first) and not torch.equal(first, second)
    assert torch.musa.default_generators[0].device == torch.device("musa:0")


def test_state_is_a_seed_and_an_offset() -> None:
    generator = torch.Generator("musa").manual_seed(2**64 - 1)
    torch.rand(3, generator=generator, device="musa")
    assert generator.get_state().view(torch.int64).tolist() == [-1, 4]
    travelled = pickle.loads(pickle.dumps(generator))
    assert travelled.device == generator.device and torch.equal(travelled.get_state(), generator.get_state())


def test_what_is_no_state_is_refused_and_changes_nothing() -> None:
    generator = torch.Generator("musa").manual_seed(3)
    with pytest.raises(RuntimeError, match="must be a multiple of 4, but is 6"):
        generator.set_offset(6)
    with pytest.raises(RuntimeError, match="must be a multiple of 4, but is 6"):
        generator.set_state(torch.tensor([1, 6]).view(torch.uint8))
    with pytest.raises(RuntimeError, match=r"has 16 bytes .* this one has 5056"):
        generator.set_state(torch.Generator().get_state())
    assert generator.get_state().view(torch.int64).tolist() == [3, 0]


def test_calls_draw_unrelated_numbers() -> None:
    """Also those whose seeds or offsets differ in one bit."""
    draws = []
    for seed, offset in ((0, 0), (0, 4), (0, 8), (4, 0), (2**32, 0), (0, 2**34)):
        generator = torch.Generator("musa").manual_seed(seed)
        generator.set_offset(offset)
        draws.append(torch.randint(0, 2**31, (2000,), generator=generator, device="musa").cpu())
    numbers = torch.cat(draws)
    assert numbers.unique().numel() > numbers.numel() - 5  # 12000 of 2^31: some 0.03 pairs are expected to be equal


def test_fork_rng_restores() -> None:
    torch.musa.manual_seed(1)
    wanted = torch.randn(3, device="musa")
    torch.musa.manual_seed(1)
    with torch.random.fork_rng(device_type="musa"):
        torch.randn(100, device="musa")
    assert torch.equal(torch.randn(3, device="musa"), wanted)
    assert torch.musa.initial_seed() == 1


def test_dropout_keeps_the_mean_and_its_gradient_the_mask() -> None:
    x = torch.ones(20_000, device="musa", requires_grad=True)
    y = torch.nn.functional.dropout(x, 0.25)
    assert abs(y.mean().item() - 1) < 0.05 and abs((y == 0).float().mean().item() - 0.25) < 0.02
    y.sum().backward()
    assert x.grad is not None and torch.equal(x.grad, y.detach())
    assert torch.equal(torch.nn.functional.dropout(x, 0.25, training=False), x)


def test_distribution_of_the_numbers() -> None:
    torch.musa.manual_seed(0)
    x = torch.randn(100_000, device="musa").cpu()
    assert abs(x.mean().item()) < 0.02 and abs(x.std().item() - 1) < 0.02


def test_generator_of_another_device_is_refused() -> None:
    ours, cpus = torch.Generator("musa"), torch.Generator()
    on_musa: list[Callable[[torch.Generator], torch.Tensor]] = [
        lambda generator: torch.rand(3, generator=generator, device="musa"),
        lambda generator: torch.randperm(9, generator=generator, device="musa"),
        lambda generator: torch.full((3,), 0.5, device="musa").bernoulli(generator=generator),
        lambda generator: torch.ones(9, device="musa").multinomial(2, generator=generator),
        lambda generator: torch.normal(torch.zeros(3, device="musa"), 1.0, generator=generator),
    ]
    on_cpu: list[Callable[[torch.Generator], torch.Tensor]] = [
        lambda generator: torch.rand(3, generator=generator),
        lambda generator: torch.randperm(9, generator=generator),
        lambda generator: torch.full((3,), 0.5).bernoulli(generator=generator),
        lambda generator: torch.empty(()).uniform_(generator=generator),
        lambda generator: torch.normal(torch.zeros(3), 1.0, generator=generator),
    ]
    for draw in on_musa:
        assert draw(ours).is_musa
        with pytest.raises(RuntimeError, match="Expected a 'musa' device type for generator but found 'cpu'"):
            draw(cpus)
    for draw in on_cpu:
        assert draw(cpus).device.type == "cpu"
        with pytest.raises(RuntimeError, match="Expected a 'cpu' device type for generator but found 'musa'"):
            draw(ours)


def test_states_of_several_devices(run_python: RunPython) -> None:
    done = run_python(PROGRAMS / "states_of_two_devices.py", MUSA_SIM_DEVICES="2")
    assert done.stdout == "True [7, 3]\n[True, True]\n[False, True]\n", done.stderr
