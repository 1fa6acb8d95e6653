"""The manual's programs of several ranks: 5.6 (DDP), 8.1 (the profiler with DDP, on one node and on several) and 10.1.5
(torch.distributed.run). Shortened, with small sizes; the ranks save their results, which are compared here. The
programs are in programs/.
"""

from __future__ import annotations

import json
import shutil
import socket
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

Run = Callable[..., str]
PROGRAMS, CHECKS = Path(__file__).parent / "programs", Path(__file__).parent / "checks"
RANKS = 2
SEED = 11  # the program's


@pytest.fixture
def ranks() -> Mapping[str, str]:
    """The environment variables of the programs."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    return {"MUSA_SIM_DEVICES": str(RANKS), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}


def saved_by_ranks(folder: Path) -> list[dict[str, torch.Tensor]]:
    return [torch.load(folder / f"rank{rank}.pt", map_location="cpu") for rank in range(RANKS)]


def trained_alone() -> nn.Linear:
    """Train as the program's ranks do together: rank 0's model, the mean of the ranks' losses."""
    made = [torch.Generator().manual_seed(SEED + rank) for rank in range(RANKS)]
    with torch.random.fork_rng(devices=[]):
        models = []
        for rank in range(RANKS):
            torch.manual_seed(SEED + rank)
            models.append(nn.Linear(5, 5))
            made[rank].set_state(torch.get_rng_state())
    optimizer = torch.optim.SGD(models[0].parameters(), lr=0.1)
    for _ in range(5):  # gradients add up: the program has no zero_grad()
        sum(models[0](torch.randn(5, generator=own)).square().mean() / RANKS for own in made).backward()
        optimizer.step()
    return models[0]


@pytest.mark.slow
def test_distributed_data_parallel(run: Run, tmp_path: Path, ranks: Mapping[str, str]) -> None:
    shutil.copy(PROGRAMS / "ddp.py", tmp_path)
    run("ddp.py", OMP_NUM_THREADS="1", **ranks)
    for found in saved_by_ranks(tmp_path):
        for name, wanted in trained_alone().state_dict().items():
            torch.testing.assert_close(found[name], wanted, rtol=1e-5, atol=1e-6)


def traced_work(trace: Path) -> list[dict[str, Any]]:
    events = json.loads(trace.read_text())["traceEvents"]
    assert any("DistributedDataParallel.forward" in event["name"] for event in events)
    assert any("mccl:all_reduce" in event["name"] for event in events)
    return [event for event in events if event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "arguments"),
    [("profiler_one_node.py", []), ("profiler_several_nodes.py", ["-n", "1", "-g", "2", "-nr", "0"])],
    ids=["one", "several"],
)
def test_profiler_with_ddp(
    program: str, arguments: list[str], run_with_pictures: Run, tmp_path: Path, ranks: Mapping[str, str]
) -> None:
    from torch_musa import _MUSAC

    shutil.copy(PROGRAMS / "ddp_profile.py", tmp_path)
    shutil.copy(PROGRAMS / program, tmp_path)
    output = run_with_pictures(program, *arguments, PICTURES="64", **ranks)
    for rank in range(RANKS):
        (trace,) = (tmp_path / "result").glob(f"worker{rank}.*.pt.trace.json")
        work = traced_work(trace)
        if _MUSAC.profiles_device():
            assert {event["pid"] for event in work} == {rank}
            names = [event["name"] for event in work]
            assert (
                names.count("CPU kernel of aten::convolution_backward_overrideable") == 4
            )  # two steps, two convolutions
        else:
            assert not work and output.count("no events of musa devices") == RANKS
    first, second = saved_by_ranks(tmp_path)
    assert first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)
    assert all(torch.isfinite(parameter).all() and parameter.any() for parameter in first.values())


@pytest.mark.slow
def test_torch_distributed_run(run: Run, tmp_path: Path, ranks: Mapping[str, str]) -> None:
    shutil.copy(PROGRAMS / "torch_distributed_run.py", tmp_path / "train.py")
    launcher = ("-m", "torch.distributed.run", "--nproc_per_node", str(RANKS), "--master_port", ranks["MASTER_PORT"])
    run(*launcher, "train.py", MUSA_SIM_DEVICES=str(RANKS), OMP_NUM_THREADS="1")
    assert [found["sum"].tolist() for found in saved_by_ranks(tmp_path)] == [[1, 21, 41]] * RANKS
