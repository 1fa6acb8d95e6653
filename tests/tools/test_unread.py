"""An input that an operator does not read says nothing: unwritten memory is no difference, no NaN, no overflow."""

from __future__ import annotations

import contextlib
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Optional

import pytest
import torch
from printing import printed
from torch import nn

from musa_tools.compare_dumps.read import read_dump
from musa_tools.compare_dumps.result import Cause, Comparison
from musa_tools.compare_dumps.table import compare
from musa_tools.compare_tool import CompareWithCPU, NanInfTracker
from musa_tools.errors import PrecisionError
from musa_tools.judge.closeness import same
from musa_tools.judge.dump_rules import Mark
from musa_tools.observe.op_facts import facts_of
from musa_tools.other_tools.msprobe import PrecisionDebugger
from musa_tools.unread import is_unread, moves_elements
from musa_tools.watch.nan_origins import overwrites

SIZE = 4
MASK = torch.tensor([True, False, True, False])
INDEX = torch.tensor([0, 2])
#: Arguments that one or another method takes.
ARGUMENTS: tuple[tuple[Any, ...], ...] = (
    (),
    (2.0,),
    (0.5,),
    (2,),
    (0.5, 1.0),
    (torch.full((SIZE,), 0.5),),
    (torch.arange(SIZE),),
    (torch.full((SIZE,), 0.5), torch.full((SIZE,), 2.0)),
    (torch.full((SIZE,), 0.5), 2.0),
    (MASK, 2.0),
    (MASK, torch.ones(2)),
    (0, INDEX, 2.0),
    (0, INDEX, torch.ones(2)),
    (0, INDEX, torch.ones(2), "amax"),
    ((INDEX,), torch.ones(2)),
    (INDEX, torch.ones(2)),
)
SQUARE: tuple[tuple[Any, ...], ...] = ((), (2.0,), (0, 1), (0,), (torch.eye(SIZE), torch.eye(SIZE)), (2.0, 0, 1.0))
#: They take a function, give the memory to another process, or leave what they add to it unwritten.
LEFT_OUT = ("apply_", "map_", "map2_", "share_memory_", "resize_", "resize_as_")


def garbage(shape: tuple[int, ...], number: int) -> torch.Tensor:
    """Memory that was never written, as one run or another finds it: each kind of number in each of its elements."""
    kinds = torch.tensor([0.25, -3.0, 1e30, float("nan"), float("inf"), 0.0, -0.75, 7.0])
    return kinds[(torch.arange(torch.Size(shape).numel()) + number) % len(kinds)].reshape(shape)


def outcomes(name: str, shape: tuple[int, ...], arguments: tuple[Any, ...]) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Return the memory before and after a method, for several contents; nothing if it refuses these arguments."""
    found = []
    for number in range(8):
        before = garbage(shape, number)
        after = before.clone()
        torch.manual_seed(0)
        try:
            result = getattr(after, name)(*arguments)
        except (RuntimeError, TypeError, IndexError, ValueError):
            return []
        if not isinstance(result, torch.Tensor) or result.shape != before.shape:
            return []
        found.append((before, result))
    return found


def methods() -> list[str]:
    names = [name for name in dir(torch.Tensor) if name.endswith("_") and not name.startswith("_")]
    return [name for name in names if name not in LEFT_OUT]


@pytest.mark.parametrize("name", methods())
def test_the_names_are_right_about_every_method_that_writes(name: str) -> None:
    """The result of a method depends on the memory before, unless the method is listed."""
    calls = [outcomes(name, (SIZE,), arguments) for arguments in ARGUMENTS]
    calls += [outcomes(name, (SIZE, SIZE), arguments) for arguments in SQUARE]
    calls = [call for call in calls if call]
    if not calls:
        pytest.skip("takes other arguments")
    depends = [any(not same(after, call[0][1]) for _, after in call) for call in calls]
    if is_unread(f"Tensor.{name}", "0"):
        assert not any(depends)
    else:
        assert any(depends)


@pytest.mark.parametrize("name", [name for name in methods() if moves_elements(f"Tensor.{name}")])
def test_what_moves_elements_leaves_them_as_they_were_or_forgets_them(name: str) -> None:
    calls = [outcomes(name, (SIZE,), arguments) for arguments in ARGUMENTS if arguments[-1:] != ("amax",)]
    calls += [outcomes(name, (SIZE, SIZE), arguments) for arguments in SQUARE]
    for call in filter(None, calls):
        elements = [(before.sort().values, after) for before, after in call]
        for position in range(call[0][1].numel()):
            here = [after.reshape(-1)[position] for _, after in elements]
            kept = [
                bool(((before == value) | (before.isnan() & value.isnan())).any())
                for (before, _), value in zip(call, here)
            ]
            assert all(kept) or all(same(value, here[0]) for value in here), (name, position)


def test_the_operators_of_the_dispatcher_are_known_by_their_schemas() -> None:
    aten = torch.ops.aten
    for overload in (
        aten.zero_.default,
        aten.copy_.default,
        aten.add.out,
        aten.sort.values,
        aten._foreach_zero_.default,
    ):
        assert overwrites(facts_of(overload)), overload
    for overload in (aten.add_.Tensor, aten.index_put_.default, aten.native_batch_norm.default, aten.add.Tensor):
        assert not overwrites(facts_of(overload)), overload


@pytest.mark.parametrize(
    ("function", "position", "unread"),
    [
        ("Distributed.recv", "0.0", True),
        ("Distributed.gather", "0.0.0", True),
        ("Distributed.gather", "1.0", False),
        ("Distributed.all_reduce", "0.0", False),
        ("Torch.gather", "0", False),
        ("Tensor.scatter", "0", False),
        ("Torch_zeros_like", "0", True),
        ("Aten.copy_", "1", False),
        ("Torch.nn_init_normal_", "0", True),
        ("Custom.mine_zero_", "0", False),
        ("Custom.mine_f", "out", True),
    ],
)
def test_names_of_other_kinds(function: str, position: str, unread: bool) -> None:
    assert is_unread(function, position) is unread


# --- two equal runs, whose unwritten memory differs


Empty = Callable[..., torch.Tensor]


def part_by_part(empty: Empty) -> None:
    memory = empty(SIZE)
    memory[:2].fill_(1)
    memory[2:].fill_(2)
    memory * 2


def by_index(empty: Empty) -> None:
    memory = empty(3, 2)
    for index in range(3):
        memory[index] = torch.ones(2)
        memory[: index + 1] * 2


def by_copies(empty: Empty) -> None:
    memory = empty(3, 2)
    for index in range(3):
        memory[index].copy_(torch.ones(2) * index)
    memory * 2


def by_index_copy(empty: Empty) -> None:
    memory = empty(SIZE, 2)
    memory.index_copy_(0, torch.tensor([0, 1]), torch.ones(2, 2))
    memory.index_copy_(0, torch.tensor([2, 3]), torch.ones(2, 2))
    memory * 2


def by_masks(empty: Empty) -> None:
    memory = empty(SIZE)
    memory.masked_fill_(MASK, 1.0)
    memory.masked_fill_(~MASK, 2.0)
    memory * 2


def views_of_views(empty: Empty) -> None:
    memory = empty(4, 4)
    halves = memory.view(2, 2, 4)
    halves[0].transpose(0, 1).copy_(torch.ones(4, 2))
    halves[1].fill_(2)
    memory * 2


def diagonal(empty: Empty) -> None:
    empty(3, 3).fill_diagonal_(1.0).zero_()


def triangle(empty: Empty) -> None:
    empty(3, 3).tril_().fill_(1.0)


def results(empty: Empty) -> None:
    memory = empty(SIZE)
    torch.add(torch.ones(SIZE), torch.ones(SIZE), out=memory)
    torch.sort(torch.ones(SIZE), out=(empty(SIZE), torch.zeros(SIZE, dtype=torch.int64)))
    memory * 2


def shapes_only(empty: Empty) -> None:
    memory = empty(SIZE)
    torch.zeros_like(memory), torch.ones_like(memory), torch.full_like(memory, 2.0)


def parameters(empty: Empty) -> None:
    weight = nn.Parameter(empty(SIZE, SIZE))
    nn.init.kaiming_uniform_(weight)
    weight * 2


PROGRAMS = [
    *(part_by_part, by_index, by_copies, by_index_copy, by_masks, views_of_views, diagonal, triangle),
    *(results, shapes_only, parameters),
]


def memories(number: int) -> Empty:
    """Return a replacement of ``torch.empty`` in a run; the run does not see how it is filled."""

    def empty(*shape: int) -> torch.Tensor:
        with torch._C.DisableTorchFunction():
            return garbage(shape, number)

    return empty


FINITE = (5, 6)
NAN_IN_ONE = (1, 5)


def compared(
    folder: Path,
    program: Callable[[Empty], Any],
    numbers: tuple[int, int] = NAN_IN_ONE,
    task: str = "statistics",
    model: Optional[nn.Module] = None,
) -> Comparison:
    """Two runs of a program, compared."""
    for number in numbers:
        torch.manual_seed(0)
        dump(folder / str(number), lambda number=number: program(memories(number)), task, model)
    return compare(*(read_dump(folder / str(number)) for number in numbers))


def dump(folder: Path, run: Callable[[], Any], task: str = "statistics", model: Optional[nn.Module] = None) -> None:
    level = "L1" if model is None else "mix"
    debugger = PrecisionDebugger(dump_path=str(folder), task=task, level=level, model=model)
    debugger.start()
    try:
        run()
    finally:
        debugger.stop()
        debugger.step()


def assert_equal(comparison: Comparison) -> None:
    rows = [(pair.call.name, row) for section in comparison.sections for pair in section.pairs for row in pair.rows]
    assert [each for each in rows if each[1].mark is not Mark.PASS] == []
    assert comparison.first is None
    assert not comparison.differs


@pytest.mark.parametrize(("task", "numbers"), [("statistics", FINITE), ("tensor", NAN_IN_ONE)])
@pytest.mark.parametrize("program", PROGRAMS)
def test_equal_runs_are_equal(
    program: Callable[[Empty], Any], task: str, numbers: tuple[int, int], tmp_path: Path
) -> None:
    assert_equal(compared(tmp_path, program, numbers, task))


@pytest.mark.parametrize("name", [name for name in methods() if is_unread(f"Tensor.{name}", "0")])
def test_equal_runs_of_every_overwriting_method_are_equal(name: str, tmp_path: Path) -> None:
    def program(empty: Empty) -> None:
        for shape, arguments in [((SIZE,), each) for each in ARGUMENTS]:
            if outcomes(name, shape, arguments):
                torch.manual_seed(0)
                getattr(empty(*shape), name)(*arguments) * 2

    assert_equal(compared(tmp_path, program))


def functions_with_out() -> Iterator[tuple[Callable[..., Any], tuple[torch.Tensor, ...], torch.Tensor]]:
    """PyTorch's functions of one to three tensors that write to ``out``, with arguments and what they make of them."""
    square = torch.tensor([[0.5, 0.25], [0.125, 0.75]])
    for name in sorted(set(dir(torch)) & {each.name.partition("::")[2] for each in torch._C._jit_get_all_schemas()}):
        function = getattr(torch, name)
        if name.startswith("_") or name.endswith("_") or not isinstance(function, types.BuiltinFunctionType):
            continue
        for given in ((square,), (square, square), (square, square, square)):
            with contextlib.suppress(RuntimeError, TypeError, IndexError, ValueError):  # other arguments, or no `out`
                torch.manual_seed(0)
                made = function(*given)
                if isinstance(made, torch.Tensor):
                    function(*given, out=torch.empty_like(made))
                    yield function, given, made
                    break


def test_equal_runs_of_every_function_with_out_are_equal(tmp_path: Path) -> None:
    samples = list(functions_with_out())
    assert len(samples) > 120

    def program(empty: Empty) -> None:
        for function, given, made in samples:
            with torch._C.DisableTorchFunction():
                memory = empty(*made.shape).to(made.dtype)
            torch.manual_seed(0)
            function(*given, out=memory)

    assert_equal(compared(tmp_path, program))


class Fills(nn.Module):
    """Writes to memory that it is given, and reads what it has written."""

    def forward(self, x: torch.Tensor, memory: torch.Tensor) -> torch.Tensor:
        memory[0] = x
        memory[1].copy_(x)
        return memory[0] * 2 + memory[1]


def test_a_module_is_judged_by_the_functions_in_it(tmp_path: Path) -> None:
    class Outer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = Fills()

        def forward(self, x: torch.Tensor, memory: torch.Tensor) -> Any:
            return self.inner(x, memory)

    model = Outer()
    assert_equal(compared(tmp_path, lambda empty: model(torch.ones(2), empty(2, 2)), model=model))


def test_lazy_modules_materialise(tmp_path: Path) -> None:
    """Each run has a model of its own: the first forward pass makes its parameters, of unwritten memory."""
    for number in (1, 3):
        torch.manual_seed(0)
        model = nn.Sequential(nn.LazyLinear(SIZE), nn.LazyBatchNorm1d())
        dump(tmp_path / str(number), lambda model=model: model(torch.ones(3, 5)), model=model)
    assert_equal(compare(read_dump(tmp_path / "1"), read_dump(tmp_path / "3")))


def test_calls_are_not_paired_by_unwritten_memory(tmp_path: Path) -> None:
    """In the second run the memory of one call has the content that another call's had in the first."""

    def program(contents: tuple[float, float, float]) -> None:
        for content, requires_grad in zip(contents, (False, True, False)):
            with torch._C.DisableTorchFunction():
                memory = torch.full((SIZE,), content).requires_grad_(requires_grad)
            with torch.no_grad():
                memory.zero_()

    for name, contents in (("1", (1.0, 2.0, 3.0)), ("2", (5.0, 1.0, 2.0))):
        dump(tmp_path / name, lambda contents=contents: program(contents))
    assert_equal(compare(read_dump(tmp_path / "1"), read_dump(tmp_path / "2")))


# --- and a real difference is one


@pytest.mark.parametrize(
    ("program", "call"),
    [
        (lambda empty: empty(SIZE).add_(1), "Tensor.add_.0.forward"),
        (lambda empty: torch.zeros(SIZE).copy_(empty(SIZE)), "Tensor.copy_.0.forward"),
        (lambda empty: empty(SIZE).view(2, 2), "Tensor.view.0.forward"),
        (lambda empty: torch.add(empty(SIZE), 1, out=torch.zeros(SIZE)), "Torch.add.0.forward"),
        (lambda empty: empty(SIZE).index_copy_(0, INDEX, torch.ones(2)), "Tensor.index_copy_.0.forward"),
        (lambda empty: torch.ones(SIZE).index_copy_(0, INDEX, empty(2)), "Tensor.index_copy_.0.forward"),
    ],
)
def test_what_is_read_is_a_difference(program: Callable[[Empty], Any], call: str, tmp_path: Path) -> None:
    comparison = compared(tmp_path, program, FINITE)
    section = comparison.first
    assert section is not None
    assert comparison.differs
    assert section.divergence.cause is Cause.RECEIVED
    assert section.pairs[section.divergence.index].call.name == call


def test_the_unwritten_rest_is_a_difference(tmp_path: Path) -> None:
    def program(empty: Empty) -> None:
        memory = empty(SIZE)
        memory[:2].fill_(1)
        memory + 1

    section = compared(tmp_path, program, FINITE).first
    assert section is not None
    assert section.pairs[section.divergence.index].call.name == "Tensor.add.0.forward"


def test_an_overwriting_operator_that_computes_something_else_is_named(tmp_path: Path) -> None:
    def program(empty: Empty) -> None:
        with torch._C.DisableTorchFunction():
            value = 1.0 if bool(empty(SIZE)[0] == 0) else 2.0
        empty(SIZE).fill_(value)

    section = compared(tmp_path, program, FINITE).first
    assert section is not None
    assert section.pairs[section.divergence.index].call.name == "Tensor.fill_.0.forward"


def test_a_shape_is_read(tmp_path: Path) -> None:
    def program(empty: Empty) -> None:
        with torch._C.DisableTorchFunction():
            size = 2 if bool(empty(SIZE)[0] == 0) else 3
        empty(size).zero_()

    assert compared(tmp_path, program, FINITE).differs


# --- NaN and Inf


@pytest.fixture
def memory_of_nan() -> Iterator[None]:
    """``torch.empty`` returns NaN, as it well may."""
    deterministic = torch._C._set_deterministic_algorithms  # the public function imports the inductor: seconds
    deterministic(True)
    yield
    deterministic(False)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.usefixtures("memory_of_nan")
def test_unwritten_memory_is_nobodys_nan(program: Callable[[Empty], Any], tmp_path: Path) -> None:
    for tool in (NanInfTracker(), NanInfTracker(log_all=True), CompareWithCPU()):

        def run(tool: Any = tool) -> None:
            with tool:
                program(torch.empty)

        printed(run)
        assert [tool.counts.total(each) for each in ("created", "received", "failed", "untested")] == [0] * 4
    dump(tmp_path, lambda: program(torch.empty), "overflow_check")


@pytest.mark.parametrize("tool", [{}, {"log_all": True}])
@pytest.mark.parametrize(
    ("program", "outcome"),
    [
        (lambda: torch.empty(SIZE).add_(1), ("add_.Tensor", "received")),
        (lambda: torch.log(-torch.ones(SIZE), out=torch.empty(SIZE)), ("log.out", "created")),
        (lambda: torch.empty(SIZE).zero_().div_(0.0), ("div_.Tensor", "created")),
        (lambda: torch.empty(SIZE)[:2].zero_().div_(0.0), ("div_.Tensor", "created")),
        (lambda: torch.empty(SIZE).clone().zero_() + torch.empty(SIZE), ("add.Tensor", "received")),
    ],
)
@pytest.mark.usefixtures("memory_of_nan")
def test_what_is_read_or_made_is_found(program: Callable[[], Any], outcome: tuple[str, str], tool: Any) -> None:
    tracker = NanInfTracker(**tool)

    def run() -> None:
        with tracker:
            program()

    printed(run)
    found = {
        name: {each for each in ("created", "received") if counts[each]}
        for name, counts in tracker.counts.by_operator.items()
    }
    assert {name: each for name, each in found.items() if each} == {f"torch.ops.aten.{outcome[0]}": {outcome[1]}}


@pytest.mark.usefixtures("memory_of_nan")
def test_an_overflow_of_unwritten_memory_that_is_read_stops_the_run(tmp_path: Path) -> None:
    with pytest.raises(PrecisionError, match=r"Tensor\.add"):
        dump(tmp_path, lambda: torch.empty(SIZE).view(2, 2) + 1, "overflow_check")
