"""torch.profiler: what musa devices do, under which operators, in tables, stacks and traces."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.autograd import DeviceType
from torch.profiler import ProfilerActivity, profile, record_function, schedule
from torch.utils.data import DataLoader
from torch_musa import _MUSAC

from .conftest import PROGRAMS, RunPython

pytestmark = pytest.mark.skipif(
    not _MUSAC.profiles_device(), reason="this PyTorch lets no device bring its own profiler"
)
ACTIVITIES = [ProfilerActivity.CPU, ProfilerActivity.MUSA]
SCALE = "void (anonymous namespace)::scale_kernel<float>(float const*, float*, float, long)"
SIZE = 300


@dataclass(frozen=True)
class Profiled:
    profiler: Any
    trace: list[dict[str, Any]]
    stacks: str

    def device_events(self) -> list[Any]:
        return [e for e in self.profiler.events() if e.device_type == DeviceType.PrivateUse1]

    def shown(self, *categories: str) -> list[dict[str, Any]]:
        return [e for e in self.trace if e.get("cat") in categories]


@pytest.fixture(scope="module")
def profiled(probe: Any, tmp_path_factory: pytest.TempPathFactory) -> Profiled:
    """Copies, an extension's kernel in two streams, operators of PyTorch, a backward pass on a thread of its own."""
    folder = tmp_path_factory.mktemp("profiler")
    x = torch.randn(SIZE, SIZE)
    side = torch.musa.Stream()
    (x.musa() @ x.musa()).cpu()
    # without `verbose` PyTorch keeps no stacks
    config = torch._C._profiler._ExperimentalConfig(verbose=True)
    with profile(activities=ACTIVITIES, record_shapes=True, with_stack=True, experimental_config=config) as profiler:
        with record_function("my region"):
            y = x.musa()
            z = torch.empty_like(y)
            probe.launch_scale(y, z, 2.5)
        with torch.musa.stream(side):
            probe.launch_scale(y, torch.empty_like(y), 2.5)
        weight = y.clone().requires_grad_()
        (z @ weight).sum().backward()
        z.t().contiguous().cpu()
        torch.musa.synchronize()
    profiler.export_chrome_trace(str(folder / "trace.json"))
    profiler.export_stacks(str(folder / "stacks.txt"), "self_musa_time_total")
    trace = json.loads((folder / "trace.json").read_text())["traceEvents"]
    return Profiled(profiler, trace, (folder / "stacks.txt").read_text())


def test_an_extensions_kernel_has_its_own_name(profiled: Profiled) -> None:
    kernels = [e for e in profiled.shown("kernel") if e["name"] == SCALE]
    first, second = sorted(kernels, key=lambda e: e["tid"])  # which ends first is up to chance
    for event in (first, second):
        assert event["pid"] == event["args"]["device"] == 0
        assert event["tid"] == event["args"]["stream"]
        assert event["args"]["grid"][0] * event["args"]["block"][0] >= SIZE * SIZE
        assert event["args"]["grid"][1:] == event["args"]["block"][1:] == [1, 1]
        assert event["args"]["shared memory"] == 0
        assert event["dur"] > 0
    assert first["tid"] == 0 and second["tid"] > 0


def test_device_events_are_linked_to_their_operators(profiled: Profiled) -> None:
    events = profiled.profiler.events()
    launches = [e for e in events if e.name == "musa_probe::launch_scale"]
    assert [[k.name for k in e.kernels] for e in launches] == [[SCALE], [SCALE]]
    (region,) = (e for e in events if e.name == "my region" and e.device_type == DeviceType.CPU)
    assert region.musa_time_total >= launches[0].musa_time_total > 0
    (backward,) = (e for e in events if e.name == "MmBackward0")
    assert backward.musa_time_total > 0 and backward.thread != region.thread
    copied = {k.name for e in events for k in e.kernels if k.name.startswith("Memcpy")}
    assert copied == {
        "Memcpy HtoD (Pageable -> Device)",
        "Memcpy DtoD (Device -> Device)",
        "Memcpy DtoH (Device -> Pageable)",
    }


def test_operators_on_the_cpu_are_one_event_each(profiled: Profiled) -> None:
    names = [e.name for e in profiled.device_events()]
    # forward, backward (the gradient of the weight only)
    assert names.count("CPU kernel of aten::mm") == 2 and names.count("CPU kernel of aten::sum") == 1
    assert names.count("CPU kernel of aten::_copy_from") == 1  # contiguous() of a transposed matrix: other strides
    shown = [e for e in profiled.shown("kernel") if e["name"] == "CPU kernel of aten::mm"]
    assert shown and all(e["args"]["simulated by"] == "PyTorch's CPU kernel" for e in shown)
    assert not {"CPU kernel of aten::empty", "CPU kernel of aten::t"} & set(names)


def test_work_of_a_stream_is_in_the_order_of_time(profiled: Profiled) -> None:
    """Two tasks of one stream never run at the same time, and the profiler's sums are those of the trace."""
    shown = profiled.shown("kernel", "gpu_memcpy", "gpu_memset")
    streams = {e["tid"] for e in shown}
    assert len(streams) == 2
    for stream in streams:
        times = sorted((e["ts"], e["ts"] + e["dur"]) for e in shown if e["tid"] == stream)
        assert all(begin < end for begin, end in times)
        assert all(end <= later + 0.001 for (_, end), (later, _) in zip(times, times[1:]))
    averages = profiled.profiler.key_averages()
    total = sum(e.self_musa_time_total for e in averages if e.device_type == DeviceType.PrivateUse1)
    assert total == pytest.approx(sum(e["dur"] for e in shown), rel=1e-3)


def test_tables_are_sorted_by_musas_names(profiled: Profiled) -> None:
    averages = profiled.profiler.key_averages()
    for name in ("musa_time", "musa_time_total", "self_musa_time_total", "musa_memory_usage", "self_musa_memory_usage"):
        most = max(averages, key=lambda event: getattr(event, name))
        rows = averages.table(sort_by=name, row_limit=1).splitlines()
        assert most.key[:20] in rows[3], (name, rows)
    assert "Self MUSA" in averages.table() and "Self MUSA time total" in averages.table()
    assert all(e.self_musa_time_total == e.self_device_time_total for e in profiled.profiler.events())


def test_stacks_are_exported_by_musas_time(profiled: Profiled, tmp_path: Path) -> None:
    lines = profiled.stacks.splitlines()
    assert lines and all(int(line.rpartition(" ")[2]) > 0 for line in lines)
    assert any("test_profiler.py" in line for line in lines)
    with pytest.raises(ValueError, match="self_musa_time_total"):
        profiled.profiler.export_stacks(str(tmp_path / "stacks.txt"), "self_unknown_time_total")


def test_arrows_lead_from_calls_to_their_work(profiled: Profiled) -> None:
    arrows = profiled.shown("ac2g")
    starts = {e["id"]: e for e in arrows if e["ph"] == "s"}
    ends = {e["id"]: e for e in arrows if e["ph"] == "f"}
    work = {e["args"]["correlation"]: e for e in profiled.shown("kernel", "gpu_memcpy", "gpu_memset")}
    calls = {e["args"]["correlation"]: e for e in profiled.shown("privateuse1_runtime")}
    assert starts.keys() == ends.keys() == work.keys() < calls.keys()
    for number, event in work.items():
        assert (ends[number]["pid"], ends[number]["tid"]) == (event["pid"], event["tid"])
        assert (starts[number]["pid"], starts[number]["tid"]) == (os.getpid(), calls[number]["tid"])
        assert starts[number]["ts"] <= ends[number]["ts"]
    by_work = {work[number]["name"]: calls[number]["name"] for number in work}
    assert by_work[SCALE] == "musaLaunchKernel"
    assert by_work["CPU kernel of aten::mm"] == "CPU fallback"
    assert by_work["Memcpy DtoD (Device -> Device)"] == "musaMemcpyAsync"


def test_rows_of_the_trace_are_named(profiled: Profiled) -> None:
    metadata = [(e["pid"], e["tid"], e["name"], *e["args"].values()) for e in profiled.trace if e["ph"] == "M"]
    assert (0, 0, "process_labels", "musa:0") in metadata
    assert (0, 0, "thread_name", "stream 0") in metadata
    assert not any("GPU" in str(fact) for fact in metadata)


def test_without_the_device_nothing_is_recorded() -> None:
    x = torch.ones(8, device="musa")
    with profile(activities=[ProfilerActivity.CPU]) as cpu_only:
        (x + 1).cpu()
    assert {e.device_type for e in cpu_only.events()} == {DeviceType.CPU}
    assert not any(e.name == "musaMemcpyAsync" for e in cpu_only.events())
    with profile(activities=[ProfilerActivity.MUSA]) as device_only:
        (x + 1).cpu()
    names = {e.name for e in device_only.events()}
    assert {"CPU kernel of aten::add", "Memcpy DtoH (Device -> Pageable)"} <= names and "aten::to" not in names


def test_cycles_of_a_schedule_have_their_own_events() -> None:
    x = torch.ones(8, device="musa")
    seen: list[list[str]] = []

    def keep(profiler: Any) -> None:
        seen.append([e.name for e in profiler.events() if e.device_type == DeviceType.PrivateUse1])

    operators: list[Callable[[], torch.Tensor]] = [x.neg, x.abs, x.exp, x.sin, x.cos, x.sqrt]
    steps = schedule(wait=1, warmup=1, active=1, repeat=2)
    with profile(activities=ACTIVITIES, schedule=steps, on_trace_ready=keep) as profiler:
        for operator in operators:
            operator()
            profiler.step()
    assert seen == [["CPU kernel of aten::exp"], ["CPU kernel of aten::sqrt"]]


def test_the_older_interface() -> None:
    x = torch.ones(8, device="musa")
    with torch.autograd.profiler.profile(use_device="musa") as profiler:
        x.neg()
    assert profiler.self_cpu_time_total > 0
    assert [e.name for e in profiler.function_events if e.device_type == DeviceType.PrivateUse1] == [
        "CPU kernel of aten::neg"
    ]


def test_an_operator_that_throws_leaves_the_profiler_in_order() -> None:
    x = torch.ones(2, 3, device="musa")
    with profile(activities=ACTIVITIES) as profiler:
        with pytest.raises(RuntimeError):
            torch.cholesky_inverse(x)
        x.neg()
    names = [e.name for e in profiler.events() if e.device_type == DeviceType.PrivateUse1]
    assert names[-1] == "CPU kernel of aten::neg"
    neg = [e for e in profiler.events() if e.name == "aten::neg" and e.device_type == DeviceType.CPU]
    assert sum(len(e.kernels) for e in neg) == 1


def test_workers_of_a_data_loader_run_while_profiled() -> None:
    with profile(activities=ACTIVITIES) as profiler:
        loader = DataLoader(list(range(8)), batch_size=4, num_workers=2)  # type: ignore[arg-type]
        sums = [batch.musa().sum().item() for batch in loader]
    assert sums == [6, 22]
    names = [e.name for e in profiler.events() if e.device_type == DeviceType.PrivateUse1]
    assert names.count("CPU kernel of aten::sum") == 2


@pytest.mark.slow
def test_devices_have_rows_of_their_own(run_python: RunPython) -> None:
    done = run_python(PROGRAMS / "profile_two_devices.py", MUSA_SIM_DEVICES="2")
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_second_profiler_is_an_error(run_python: RunPython) -> None:
    done = run_python(PROGRAMS / "second_profiler.py")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("No events of musa devices: another profiler has begun to record them") == 1


def test_no_two_calls_of_a_process_have_one_number() -> None:
    """Not in two profiles either: tools put several together."""
    seen: set[int] = set()
    for _ in range(3):
        with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.PrivateUse1]) as profiler:
            torch.ones(4, device="musa").neg()
        calls = {
            event.correlation_id()
            for event in profiler.profiler.kineto_results.events()
            if event.device_type() == DeviceType.CPU and event.name().startswith("musa")
        }
        assert calls and not calls & seen
        seen |= calls


def test_work_on_the_device_is_not_taken_for_an_operator() -> None:
    """PyTorch's search for patterns goes by names, and asks each operator that it finds for its inputs."""
    from torch.profiler._pattern_matcher import MatMulDimInFP16Pattern

    for size, found in ((201, True), (200, False)):
        x = torch.randn(size, size, device="musa", dtype=torch.float16)
        with profile(with_stack=True, record_shapes=True) as profiler:
            x @ x
        assert bool(MatMulDimInFP16Pattern(profiler).matched_events()) == found
