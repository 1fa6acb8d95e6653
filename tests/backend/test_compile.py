"""torch.compile on musa: devices, streams and events in one graph, and what other backends than eager's say."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch

from .conftest import PROGRAMS, RunPython, needs_2_13

Function = Callable[[torch.Tensor], torch.Tensor]
BACKENDS = ("eager", "aot_eager")
SIDE: dict[str, torch.musa.Stream] = {}
SEEN: list[tuple[int, int]] = []


@torch.library.custom_op("musa_tests::note", mutates_args=())
def note(x: torch.Tensor) -> torch.Tensor:
    """Note where it runs."""
    SEEN.append((torch.musa.current_device(), torch.musa.current_stream().stream_id))
    return x * 2


@note.register_fake
def _(x: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(x)


note.register_autograd(lambda ctx, grad: grad * 2)


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """Compile anew in each test."""
    torch._dynamo.reset()
    SEEN.clear()
    SIDE["stream"] = torch.musa.Stream()
    yield
    torch._dynamo.reset()


def device_by_number(x: torch.Tensor) -> torch.Tensor:
    with torch.musa.device(0):
        return note(x) + torch.ones(3, device="musa")


def device_by_name(x: torch.Tensor) -> torch.Tensor:
    with torch.musa.device("musa:0"), torch.musa.device(None), torch.musa.device(-1):
        return note(x)


def device_of_a_tensor(x: torch.Tensor) -> torch.Tensor:
    with torch.musa.device(x.device):
        return note(x)


def stream_from_outside(x: torch.Tensor) -> torch.Tensor:
    side = SIDE["stream"]
    side.wait_stream(torch.musa.current_stream())
    with torch.musa.stream(side):
        y = note(x)
    torch.musa.current_stream().wait_stream(side)
    return note(y)


def stream_made_inside(x: torch.Tensor) -> torch.Tensor:
    side = torch.musa.Stream(device="musa:0", priority=-1)
    with torch.musa.stream(side):
        y = x * 3
    side.synchronize()
    return note(y)


def streams_within_streams(x: torch.Tensor) -> torch.Tensor:
    with torch.musa.stream(SIDE["stream"]):
        with torch.musa.stream(torch.musa.default_stream()):
            y = note(x)
        with torch.musa.stream(None):
            z = note(y)
    torch.musa.synchronize()
    return y + z


def stream_as_context(x: torch.Tensor) -> torch.Tensor:
    with SIDE["stream"]:
        y = x * 3
    SIDE["stream"].synchronize()
    return y + 1


def events(x: torch.Tensor) -> torch.Tensor:
    before, side = torch.musa.Event(), torch.musa.Stream()
    before.record()
    side.wait_event(before)
    with torch.musa.stream(side):
        y = x * 3
        after = side.record_event()
    torch.musa.current_stream().wait_event(after)
    after.synchronize()
    after.wait()
    return y + 1


def constants(x: torch.Tensor) -> torch.Tensor:
    if not torch.musa.is_available() or torch.musa.is_current_stream_capturing():
        return x
    properties = torch.musa.get_device_properties(x.device)
    major, minor = torch.musa.get_device_capability()
    y = x * torch.musa.device_count() + torch.musa.current_device() + properties.warp_size + 10 * major + minor
    y = y + len(torch.musa.get_device_name()) + int(torch.musa.is_initialized())
    y = y + (5 if torch.musa.current_stream(x.device).musa_stream == 0 else 7)
    return y.bfloat16() if torch.musa.is_bf16_supported() and torch.musa.is_tf32_supported() else y


FUNCTIONS: tuple[Function, ...] = (
    *(device_by_number, device_by_name, device_of_a_tensor),
    *(stream_from_outside, stream_made_inside, streams_within_streams, stream_as_context, events, constants),
)


@needs_2_13
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_one_graph_does_what_the_function_does(function: Function, backend: str) -> None:
    x = torch.arange(3.0, device="musa", requires_grad=True)
    wanted = function(x)
    streams = list(SEEN)
    (slope,) = torch.autograd.grad(wanted.sum(), x)
    compiled = torch.compile(function, backend=backend, fullgraph=True)
    before = torch.musa.current_stream(), torch.musa.current_device()
    for _ in range(2):
        SEEN.clear()
        found = compiled(x)
        assert torch.equal(found, wanted) and found.dtype == wanted.dtype
        assert streams == SEEN, "on the same devices and streams"
        assert torch.equal(torch.autograd.grad(found.sum(), x)[0], slope)
        assert (torch.musa.current_stream(), torch.musa.current_device()) == before


def test_streams_are_not_all_the_same() -> None:
    """The test above compares streams; this one checks that there were two."""
    stream_from_outside(torch.ones(2, device="musa"))
    assert [(0, SIDE["stream"].stream_id), (0, 0)] == SEEN and SIDE["stream"].stream_id != 0


@needs_2_13
@pytest.mark.slow
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_devices_change_as_without_compiling(backend: str, run_python: RunPython) -> None:
    done = run_python(PROGRAMS / "compiled_for_two_devices.py", backend, MUSA_SIM_DEVICES="2")
    lines = done.stdout.splitlines()
    assert done.returncode == 0 and lines[:2] == lines[2:], done.stdout + done.stderr[-2000:]
    assert (
        lines
        == [f"1 False; 0 False; 1 True; 1 False; {current} False; musa:1 {current} {current} 0" for current in (0, 1)]
        * 2
    )


@needs_2_13
@pytest.mark.parametrize("backend", BACKENDS)
def test_an_error_in_a_stream_leaves_later_calls_alone(backend: str) -> None:
    @torch.library.custom_op("musa_tests::fail", mutates_args=())
    def fail(x: torch.Tensor, wrong: bool) -> torch.Tensor:
        if wrong:
            raise ValueError("wrong")
        return note(x)

    fail.register_fake(lambda x, wrong: torch.empty_like(x))

    def function(x: torch.Tensor, wrong: bool) -> torch.Tensor:
        with torch.musa.stream(SIDE["stream"]):
            y = torch.ops.musa_tests.fail(x, wrong)
        return note(y)

    compiled = torch.compile(function, backend=backend, fullgraph=True)
    x = torch.ones(2, device="musa")
    before = torch.musa.current_stream()
    with pytest.raises(ValueError, match="wrong"):
        compiled(x, True)
    torch.musa.set_stream(before)
    SEEN.clear()
    assert compiled(x, False).tolist() == [4, 4]
    assert [(0, SIDE["stream"].stream_id), (0, 0)] == SEEN and torch.musa.current_stream() == before


def test_what_cannot_be_in_a_graph_runs_between_two() -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        y = x * 2
        torch.musa.manual_seed(5)
        with torch.musa.stream(SIDE["stream"]):
            torch.musa.set_device(0)
            y = note(y)
        torch.musa.synchronize()
        return y + torch.musa.memory_allocated() * 0 + torch.rand(2, device="musa")

    x = torch.ones(2, device="musa")
    wanted = function(x)
    streams = list(SEEN)
    SEEN.clear()
    assert torch.equal(torch.compile(function, backend="aot_eager")(x), wanted) and streams == SEEN


@pytest.mark.slow
@needs_2_13
def test_a_graph_asks_again_when_the_device_is_another(run_python: RunPython) -> None:
    code = PROGRAMS / "compiled_by_device_number.py"
    assert run_python(code, MUSA_SIM_DEVICES="2").stdout == "0.0 1.0\n"


@pytest.mark.parametrize("training", [False, True])
def test_inductor_says_what_to_use_instead(training: bool) -> None:
    model = torch.nn.Linear(4, 2).musa()
    x = torch.randn(3, 4, device="musa", requires_grad=training)
    with pytest.raises(Exception, match="generates no code for musa") as caught, torch.set_grad_enabled(training):
        torch.compile(model)(x)
    said = next(line for line in str(caught.value).splitlines() if "musa" in line)
    assert said.endswith('generates no code for musa: use torch.compile(..., backend="aot_eager") instead')


@pytest.mark.slow
def test_inductor_still_compiles_for_the_cpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.gelu(x * 3 + 1).sum(-1)

    x = torch.randn(4, 8)
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))
    torch.testing.assert_close(torch.compile(function, fullgraph=True)(x), function(x))
    assert list(tmp_path.rglob("*.so")), "nothing was compiled"


@pytest.mark.slow
@needs_2_13
def test_importing_torch_musa_imports_no_compiler(run_new_python: RunPython) -> None:
    code = PROGRAMS / "compiler_is_imported_late.py"
    assert run_new_python(code).stdout == "[]\nTrue False\nFalse True\n"
    early = "import torch, torch._dynamo, torch_musa, sys; print('torch_musa._compile.dynamo' in sys.modules)"
    assert run_new_python(early, TORCH_DEVICE_BACKEND_AUTOLOAD="0").stdout == "True\n"


@pytest.mark.slow
def test_a_warning_names_a_compiler_of_other_names(run_new_python: RunPython) -> None:
    code = PROGRAMS / "compiler_of_other_names.py"
    found = run_new_python(code)
    assert found.stdout.startswith("2.0\n") and "does not know torch._dynamo" in found.stdout, found.stderr
    assert "no such table" in found.stdout and "end the graph" in found.stdout
