"""Two dumps are read in three forms, aligned and judged, and the call is named that made the first difference."""

from __future__ import annotations

import csv
import json
import os
import pickle
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from dumps import Made, entry_of, facts, network, write_hooks, write_msprobe, write_part, write_ptdbg

from musa_tools.compare_dumps.read import read_dump, renamed
from musa_tools.compare_dumps.report.files import columns_of, write_files
from musa_tools.compare_dumps.result import CallPair, Cause, Comparison
from musa_tools.compare_dumps.table import compare
from musa_tools.errors import ToolError
from musa_tools.judge.dump_rules import Mark

NOISE = 1e-7


def compared(left: Path, right: Path, profile: str = "default") -> Comparison:
    return compare(read_dump(left), read_dump(right), profile)


def made(tmp_path: Path, left: list[Made], right: list[Made], tensors: bool = False, **options: Any) -> Comparison:
    """Compare two lists of calls by way of two dumps."""
    folders = [
        write_msprobe(tmp_path / name / "step0" / "rank0", calls, tensors)
        for name, calls in (("a", left), ("b", right))
    ]
    return compared(*folders, **options)


def culprit(comparison: Comparison) -> CallPair:
    section = comparison.first
    assert section is not None
    return section.pairs[section.divergence.index]


def the_cause(comparison: Comparison) -> Cause:
    return comparison.first.divergence.cause if comparison.first else Cause.NONE


def write(form: str, folder: Path, name: str, calls: list[Made]) -> Path:
    folder.mkdir(exist_ok=True)
    if form == "ptdbg":
        return write_ptdbg(folder / f"{name}.pkl", calls)
    if form.startswith("hooks"):
        return write_hooks(folder / f"{name}.pkl", calls, sample="full" not in form, ours="ours" in form)
    return write_msprobe(folder / name / "step0" / "rank", calls, tensors=form == "tensors")


FORMS = ["statistics", "tensors", "ptdbg", "hooks ours", "hooks theirs", "hooks full"]


@pytest.mark.parametrize("form", FORMS)
def test_the_first_bad_call_is_named_beside_extra_calls(form: str, tmp_path: Path) -> None:
    left, right = network(wrong=2, noise=NOISE), network()
    right.insert(3, right[2].but(number=77))
    left.insert(9, Made("Tensor.add", (left[8].outputs[0], 1), (left[8].outputs[0] + 1,), parent=left[8].parent))
    comparison = compared(write(form, tmp_path, "a", left), write(form, tmp_path, "b", right))
    (section,) = comparison.sections
    assert the_cause(comparison) is Cause.MADE and comparison.differs
    blamed = culprit(comparison).call
    assert "linear" in blamed.base.lower() and ".2." in blamed.name.replace("_", ".")
    lone = [pair.call.name for pair in section.pairs if not (pair.left and pair.right)]
    assert len(lone) == 2 and "relu" in lone[0] and "add" in lone[1]
    assert sum(pair.mark is Mark.PASS for pair in section.pairs) == 6, "all calls before the bad layer agree"


@pytest.mark.parametrize("form", FORMS)
def test_rounding_errors_are_no_finding(form: str, tmp_path: Path) -> None:
    left, right = network(noise=NOISE), network()
    comparison = compared(write(form, tmp_path, "a", left), write(form, tmp_path, "b", right))
    assert the_cause(comparison) is Cause.NONE and not comparison.differs
    assert comparison.count(Mark.ERROR) == comparison.count(Mark.WARNING) == 0


def test_the_innermost_call_is_blamed(tmp_path: Path) -> None:
    comparison = made(tmp_path, network(wrong=1), network())
    assert culprit(comparison).call.name == "Functional.linear.1.forward"  # not the module around it
    assert culprit(comparison).call.stack[0].startswith("File model.py, line 11")


def test_gradients_of_bad_values_are_not_blamed(tmp_path: Path) -> None:
    comparison = made(tmp_path, network(wrong=2), network(), True)
    backward = [pair for pair in comparison.sections[0].pairs if pair.call.direction == "backward"]
    assert backward[0].before == 0 and backward[0].after and backward[0].after > 0.1
    assert all(pair.mark is not Mark.ERROR for pair in backward), "what they saved in the forward pass was bad"


def test_a_backward_call_of_good_values_is_blamed(tmp_path: Path) -> None:
    left, right = network(), network()
    left[-1] = left[-1].but(outputs=(left[-1].outputs[0] + 1,))
    comparison = made(tmp_path, left, right)
    assert culprit(comparison).call.name == "Functional.linear.0.backward"


def test_errors_that_add_up_are_not_blamed(tmp_path: Path) -> None:
    x = torch.randn(64)
    left, right, noisy = [], [], x
    for index in range(40):
        y, near = x * 0.9, noisy * 0.9 * (1 + 1e-5 * (index + 1))
        left.append(Made("Torch.mul", (noisy,), (near,), index))
        right.append(Made("Torch.mul", (x,), (y,), index))
        x, noisy = y, near
    comparison = made(tmp_path, left, right)
    assert the_cause(comparison) is Cause.ACCUMULATED and not comparison.differs
    assert comparison.count(Mark.ERROR) == 0 < comparison.count(Mark.WARNING)


@pytest.mark.parametrize("tensors", [False, True])
def test_other_data_are_nobodys_fault(tensors: bool, tmp_path: Path) -> None:
    comparison = made(tmp_path, network(seed=1), network(), tensors)
    assert the_cause(comparison) is Cause.RECEIVED
    section = comparison.first
    assert section is not None and section.divergence.index == 0 and "batches" in section.divergence.hint


def test_calls_that_one_run_lacks_are_suspected_if_no_others_are(tmp_path: Path) -> None:
    x = torch.randn(8)
    left = [Made("Torch.exp", (x,), (x.exp(),)), Made("Torch.sin", (x.exp() * 2,), ((x.exp() * 2).sin(),))]
    right = [left[0], Made("Torch.mul", (x.exp(), 2), (x.exp() * 2,)), Made("Torch.sin", (x.exp(),), (x.exp().sin(),))]
    comparison = made(tmp_path, left, right)
    assert the_cause(comparison) is Cause.RECEIVED
    assert (
        comparison.first
        and "a call before it in one dump only, the last one Torch.mul.0.forward" in comparison.first.divergence.hint
    )


def test_a_gradient_of_parameters_is_judged_by_the_module_s_inputs(tmp_path: Path) -> None:
    def extra(scale: float) -> dict[str, Any]:
        grad = torch.arange(64.0).view(8, 8) * scale
        return {"Module.layers.0.fc.Linear.parameters_grad": {"weight": [facts(grad)]}}

    folders = [
        write_msprobe(tmp_path / name / "rank0", network(), extra=extra(scale)) for name, scale in (("a", 2), ("b", 1))
    ]
    comparison = compared(*folders)
    assert culprit(comparison).call.name == "Module.layers.0.fc.Linear.parameters_grad"
    row = culprit(comparison).rows[0]
    assert row.left is not None and culprit(comparison).call.value_name(row.left).endswith("parameters_grad.weight")


@pytest.mark.parametrize("base", ["Functional.dropout", "Torch.rand_like", "Tensor.bernoulli_"])
def test_random_numbers_are_named_as_such(base: str, tmp_path: Path) -> None:
    x = torch.ones(32)
    comparison = made(tmp_path, [Made(base, (x,), (torch.rand(32),))], [Made(base, (x,), (torch.rand(32),))])
    assert the_cause(comparison) is Cause.MADE
    assert comparison.first and "random numbers" in comparison.first.divergence.hint


def only_row(tmp_path: Path, left: Any, right: Any, **options: Any) -> Any:
    """Compare the results of one call whose inputs are equal."""
    x = torch.ones(4)
    comparison = made(tmp_path, [Made("Torch.f", (x,), (left,))], [Made("Torch.f", (x,), (right,))], **options)
    return comparison.sections[0].pairs[0].rows[-1]


NAN, INF = float("nan"), float("inf")
SAME = [
    (torch.zeros(3), torch.zeros(3)),
    (torch.zeros(0, 4), torch.zeros(0, 4)),
    (torch.full((5,), 7.0), torch.full((5,), 7.0)),
    (torch.tensor(3.0), torch.tensor(3.0)),
    (torch.tensor([1.0, NAN, -INF]), torch.tensor([1.0, NAN, -INF])),
    (torch.tensor([True, False]), torch.tensor([True, False])),
    (torch.tensor([2**53 + 1]), torch.tensor([2**53 + 1])),
    (torch.randn(4, generator=torch.Generator().manual_seed(0)).bfloat16(),) * 2,
    (5, 5),
    (NAN, NAN),
    (None, None),
]


@pytest.mark.parametrize("tensors", [False, True])
@pytest.mark.parametrize("values", SAME, ids=repr)
def test_equal_values_pass(values: tuple[Any, Any], tensors: bool, tmp_path: Path) -> None:
    row = only_row(tmp_path, *values, tensors=tensors)
    assert row.mark is Mark.PASS, row.reasons


UNLIKE = [
    (torch.tensor([1.0, NAN]), torch.tensor([1.0, 2.0]), "NaN or Inf in the first dump only"),
    (torch.tensor([1.0, 2.0]), torch.tensor([1.0, INF]), "NaN or Inf in the second dump only"),
    (torch.zeros(2, 3), torch.zeros(3, 2), "the shapes differ"),
    (torch.zeros(2), torch.zeros(2, dtype=torch.float64), "the dtypes differ"),
    (torch.tensor([3]), torch.tensor([4]), "the inputs are the same"),
    (torch.zeros(3), torch.full((3,), 0.5), "the inputs are the same"),
    (torch.tensor([True, True]), torch.tensor([True, False]), "the inputs are the same"),
    (5, 6, "the values differ"),
    (5, torch.tensor(5.0), "the values differ"),
]


@pytest.mark.parametrize("values", UNLIKE, ids=repr)
def test_unlike_values_are_errors(values: tuple[Any, Any, str], tmp_path: Path) -> None:
    row = only_row(tmp_path, *values[:2])
    assert row.mark is Mark.ERROR and any(values[2] in reason for reason in row.reasons), row.reasons


def test_nan_at_another_index_is_seen_in_tensors(tmp_path: Path) -> None:
    row = only_row(tmp_path, torch.tensor([NAN, 1.0]), torch.tensor([1.0, NAN]), tensors=True)
    assert "NaN or Inf at other places" in row.reasons


def test_what_cancelling_terms_leave_is_no_error(tmp_path: Path) -> None:
    big = torch.full((1, 4096), 100.0)
    calls = [Made("Functional.linear", (big, big), (torch.tensor([[left]]),)) for left in (3e-2, -1e-2)]
    comparison = made(tmp_path, calls[:1], calls[1:], tensors=True)
    assert the_cause(comparison) is Cause.NONE
    calls = [Made("Functional.linear", (big / 1e4, big / 1e4), (torch.tensor([[left]]),)) for left in (3e-2, -1e-2)]
    assert the_cause(made(tmp_path, calls[:1], calls[1:], tensors=True)) is Cause.MADE


def test_measures_are_those_of_the_documents(tmp_path: Path) -> None:
    a, b = torch.tensor([1.0, 2.0, 0.0, 4.0]), torch.tensor([1.0, 2.5, 0.0, -4.0])
    facts_ = only_row(tmp_path, a, b, tensors=True).measures.elements
    assert facts_.cosine == pytest.approx(float(torch.nn.functional.cosine_similarity(a, b, dim=0)))
    assert facts_.rmse == pytest.approx(float((a - b).square().mean().sqrt()))
    assert facts_.mape == pytest.approx((0 + 0.2 + 2) / 3) and facts_.zeros_skipped == 1
    assert facts_.max_abs == 8 and facts_.max_rel == pytest.approx(2) and facts_.one_thousandth == 0.5
    zero = only_row(tmp_path, torch.zeros(3), torch.ones(3), tensors=True).measures.elements
    assert zero.cosine is None, "zeros have no direction"


def test_samples_of_other_steps_are_compared_by_statistics(tmp_path: Path) -> None:
    calls = network()
    left = write_ptdbg(tmp_path / "a.pkl", calls, step=2)
    right = write_ptdbg(tmp_path / "b.pkl", calls, step=3)
    comparison = compared(left, right)
    assert not comparison.differs
    rows = [row.measures for pair in comparison.sections[0].pairs for row in pair.rows]
    assert all(row is not None and row.elements is None and row.differences is not None for row in rows)


def test_requires_grad_and_digests(tmp_path: Path) -> None:
    def dump(name: str, **changes: Any) -> Path:
        entry = entry_of(Made("Torch.f", (torch.ones(2),), (torch.ones(2),)), None)
        entry["output"][0].update(changes)
        return write_msprobe(tmp_path / name, [], extra={"Torch.f.0.forward": entry})

    plain = dump("plain", md5="00ff")
    assert not compared(plain, dump("same", md5="00ff", Norm=9.0)).differs, "equal digests are equal tensors"
    no_numbers = {"Max": None, "Min": None, "Mean": None, "Norm": None}
    bare = dump("bare", md5="00fe", **no_numbers)
    comparison = compared(bare, plain)
    assert comparison.differs and "the digests differ" in culprit_or_first(comparison)
    assert "requires_grad differs" in culprit_or_first(compared(dump("grad", requires_grad=True), plain))


def culprit_or_first(comparison: Comparison) -> str:
    return str([row.reasons for pair in comparison.sections[0].pairs for row in pair.rows])


@pytest.mark.parametrize("api", ["Torch.empty", "Torch.empty_like", "Tensor.new_empty"])
def test_unwritten_memory_is_not_compared(api: str, tmp_path: Path) -> None:
    calls = [Made(api, (4,), (torch.full((4,), value),)) for value in (1.0, 1e30)]
    comparison = made(tmp_path, calls[:1], calls[1:])
    assert not comparison.differs and the_cause(comparison) is Cause.NONE


# ---- profiles


def test_the_profile_of_msprobe(tmp_path: Path) -> None:
    x, weight = torch.randn(100, generator=torch.Generator().manual_seed(1)), torch.ones(100)

    def judged(left: torch.Tensor, right: torch.Tensor, tensors: bool) -> Mark:
        calls = [Made("Torch.f", (x, weight), (each,)) for each in (left, right)]
        return made(tmp_path, calls[:1], calls[1:], tensors, profile="msprobe").sections[0].pairs[0].rows[-1].mark

    half = torch.cat([x[:50], x[50:] * 1.01])
    assert judged(half, x, True) is Mark.ERROR, "within 1/1000: inputs all, result half of the elements"
    assert judged(x * 1.0001, x, True) is Mark.PASS
    assert judged(x * 1.6, x, False) is Mark.ERROR, "error of the norm: inputs none, result 0.6"
    assert judged(x * 1.3, x, False) is Mark.WARNING
    assert judged(x * 1.00001, x, False) is Mark.PASS


def test_the_profile_of_ptdbg(tmp_path: Path) -> None:
    x = torch.linspace(-1, 1, 1000)

    def judged(left: torch.Tensor, right: torch.Tensor) -> Mark:
        return only_row(tmp_path, left, right, tensors=True, profile="ptdbg").mark

    assert judged(x * 1.5, x) is Mark.PASS  # its cosine is 1, and no element is off by more than 1
    assert judged(x * 3, x) is Mark.ERROR
    assert judged(x + 0.9, x) is Mark.ERROR  # cosine below 0.9
    assert judged(x + 0.12, x) is Mark.ERROR  # below 0.99, and off by more than 0.001
    assert judged((x + 0.12) / 1e4, x / 1e4) is Mark.PASS
    assert judged(x / 1e4, torch.zeros(1000)) is Mark.ERROR  # no direction


def test_an_unknown_profile(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="wanted: one of default, msprobe, ptdbg"):
        made(tmp_path, network(), network(), profile="mine")


# ---- folders, steps, ranks


def test_steps_and_ranks_find_each_other(tmp_path: Path) -> None:
    for step in (0, 2, 10):
        write_msprobe(tmp_path / "a" / f"step{step}" / "rank", network(wrong=1 if step == 10 else -1))
    for step in (0, 10, 11):
        write_msprobe(tmp_path / "b" / f"step{step}" / "proc4711", network())
    comparison = compared(tmp_path / "a", tmp_path / "b")
    assert [section.step for section in comparison.sections] == ["0", "10"]
    assert comparison.first is comparison.sections[1]
    assert [note.rpartition(": ")[2].partition(",")[0] for note in comparison.notes] == ["step 2", "step 11"]


def test_ranks_are_kept_apart(tmp_path: Path) -> None:
    for rank in (0, 1):
        write_msprobe(tmp_path / "a" / "step0" / f"rank{rank}", network(wrong=rank - 1))
        write_msprobe(tmp_path / "b" / "step0" / f"rank{rank}", network())
    comparison = compared(tmp_path / "a" / "step0", tmp_path / "b" / "step0")
    assert [section.rank for section in comparison.sections] == ["0", "1"]
    assert comparison.first is comparison.sections[1]
    single = compared(tmp_path / "a" / "step0" / "rank1" / "dump.json", tmp_path / "b" / "step0" / "rank0")
    assert single.differs and len(single.sections) == 1


def test_nothing_in_common(tmp_path: Path) -> None:
    for name, step in (("a", 1), ("a", 2), ("b", 3)):
        write_msprobe(tmp_path / name / f"step{step}" / "rank0", network())
    with pytest.raises(ToolError, match="no step and rank in common; found: step 1, rank 0; step 2, rank 0 in"):
        compared(tmp_path / "a", tmp_path / "b")


def test_names_can_be_mapped(tmp_path: Path) -> None:
    def wrapped(name: str) -> str:
        return name.replace("Module.layers", "Module.module.layers")

    calls = network()
    left = [call.but(base=wrapped(call.base), parent=wrapped(call.parent)) for call in calls]
    a, b = write_msprobe(tmp_path / "a", left), write_msprobe(tmp_path / "b", calls)
    apart = compared(a, b).sections[0].pairs
    assert any(pair.left is None or pair.right is None for pair in apart)
    together = compare(renamed(read_dump(a), ["Module.module.=Module."]), read_dump(b)).sections[0].pairs
    assert all(pair.left and pair.right for pair in together)
    with pytest.raises(ToolError, match="wanted: OLD=NEW"):
        renamed(read_dump(a), ["module."])


def test_stacks_and_parents_of_newer_files(tmp_path: Path) -> None:
    folder = write_msprobe(tmp_path, [Made("Torch.f", (torch.ones(1),), (torch.ones(1),))])
    (folder / "stack.json").write_text(json.dumps({"0": [["Torch.f.0.forward"], ["File a.py, line 1", "File b.py"]]}))
    (folder / "construct.json").write_text(json.dumps({"Torch.f.0.forward": ["Module.fc.Linear.forward.0", 0]}))
    (call,) = read_dump(folder).runs[0].calls
    assert call.stack == ("File a.py, line 1", "File b.py") and call.parent == "Module.fc.Linear.forward.0"


# ---- cut off, hostile, unreadable


def test_a_dump_of_a_killed_run_is_read_to_its_last_call(tmp_path: Path) -> None:
    calls = network()
    whole = [call.name for call in calls]
    size = (write_part(tmp_path, calls) / "dump.jsonl.part").stat().st_size
    for cut in [1, 2, 30, 300, size // 2, size * 4 // 5]:
        run = read_dump(write_part(tmp_path, calls, cut)).runs[0]
        names = [call.name for call in run.calls]
        assert names == whole[: len(names)] and len(names) >= len(whole) * (size - cut) // size - 2
        assert "the run ended before" in run.notes[0] and names[-1] in run.notes[0]


def test_calls_since_the_last_stop_follow_the_finished_ones(tmp_path: Path) -> None:
    calls = network()
    write_msprobe(tmp_path, calls[:6])
    write_part(tmp_path, calls[4:], cut=5)  # some of them are in both: killed while the file was removed
    assert [call.name for call in read_dump(tmp_path).runs[0].calls] == [call.name for call in calls[:-1]]


def test_steps_of_a_process_that_was_killed(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys; from pathlib import Path; sys.path.insert(0, sys.argv[1]);"
        "from dumps import network, write_msprobe, write_part; import json; folder = Path(sys.argv[2]);"
        "[write_msprobe(folder / f'step{i}' / 'rank', network()) for i in range(3)];"
        "path = write_part(folder / 'step3' / 'rank', network()[:5]) / 'dump.jsonl.part'; stream = path.open('a');"
        'stream.write(\'{"name": "Functional.relu.1.forward", "entry": {"input_\'); stream.flush();'
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    run = subprocess.run([sys.executable, "-c", code, str(Path(__file__).parent), str(tmp_path / "a")], check=False)
    assert run.returncode == -signal.SIGKILL
    for step in range(5):
        write_msprobe(tmp_path / "b" / f"step{step}" / "rank", network())
    comparison = compared(tmp_path / "a", tmp_path / "b")
    assert [section.step for section in comparison.sections] == ["0", "1", "2", "3"] and not comparison.differs
    assert sum(pair.left is not None for pair in comparison.sections[3].pairs) == 5


def test_a_finished_dump_that_is_cut_off(tmp_path: Path) -> None:
    whole = write_msprobe(tmp_path / "b", network())
    text = (whole / "dump.json").read_text()
    cut = tmp_path / "a"
    cut.mkdir()
    for size in (len(text) - 1, len(text) // 2, 2000):
        (cut / "dump.json").write_text(text[:size])
        comparison = compared(cut, whole)
        assert not comparison.differs and "is cut off; read up to" in comparison.sections[0].notes[0]
    (cut / "dump.json").write_text(text[:60])
    with pytest.raises(ToolError, match="holds no call"):
        read_dump(cut)


@pytest.mark.parametrize("writer", [write_ptdbg, write_hooks])
def test_a_file_of_lines_that_is_cut_off(writer: Any, tmp_path: Path) -> None:
    path = writer(tmp_path / "a.pkl", network())
    whole = read_dump(path).runs[0].calls
    text = path.read_text()
    path.write_text(text[:-20])
    run = read_dump(path).runs[0]
    assert [call.name for call in run.calls] == [call.name for call in whole] and "is cut off" in run.notes[0]
    lines = text.splitlines()
    path.write_text("\n".join([*lines[:3], lines[3][:9], *lines[4:]]))
    with pytest.raises(ToolError, match=r"a\.pkl:4 is no JSON"):
        read_dump(path)


class Hostile:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.path),)


@pytest.mark.parametrize("form", ["pt", "old pt", "npy", "pkl"])
def test_a_hostile_file_is_refused_and_nothing_runs(form: str, tmp_path: Path) -> None:
    import numpy

    trace = tmp_path / "trace"
    if form == "pkl":
        (tmp_path / "a.pkl").write_bytes(pickle.dumps(Hostile(trace)))
        with pytest.raises(ToolError, match="is a Python pickle"):
            read_dump(tmp_path / "a.pkl")
    elif form == "npy":
        a, b = (write_ptdbg(tmp_path / f"{name}.pkl", network()) for name in "ab")
        numpy.save(next(tmp_path.glob("a_*/*.npy")), numpy.array([Hostile(trace)], dtype=object), allow_pickle=True)
        with pytest.raises(ToolError, match="cannot be read"):
            compared(a, b)
    else:
        a, b = (write_msprobe(tmp_path / name, network(), tensors=True) for name in "ab")
        file = a / "dump_tensor_data" / "Functional.linear.0.forward.input.0.pt"
        torch.save(Hostile(trace), file, _use_new_zipfile_serialization=form == "pt")
        with pytest.raises(ToolError, match="asks for more than a tensor"):
            compared(a, b)
    assert not trace.exists()


def test_a_name_cannot_lead_out_of_the_dump(tmp_path: Path) -> None:
    torch.save(torch.ones(16, 8), tmp_path / "secret.pt")
    folder = write_msprobe(tmp_path / "a", network(), tensors=True)
    text = (folder / "dump.json").read_text()
    name = "Functional.linear.0.forward.input.0.pt"
    (folder / "dump.json").write_text(text.replace(name, "../../secret.pt"))
    values = [value for call in read_dump(folder).runs[0].calls for value in call.values]
    assert all(value.file is None or value.file.parent == folder / "dump_tensor_data" for value in values)
    assert sum(value.file is None for value in values if value.part == "input") >= 1


def test_no_tensor_is_loaded_before_its_first_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_msprobe(tmp_path, network(), tensors=True)
    monkeypatch.setattr(torch, "load", lambda *args, **kwargs: pytest.fail("a tensor was loaded"))
    assert len(read_dump(folder).runs[0].calls) == 16


BAD = {
    "nothing": ("no such file or folder", None),
    "empty folder": ("holds no dump", {}),
    "other json": ("a JSON file, but not named dump.json", {"x.json": '{"a": 1}'}),
    "text": ("is no dump", {"x.txt": "hello"}),
    "empty file": ("is no dump", {"x.pkl": ""}),
    "no data": ("is no dump; wanted: a JSON object with 'data'", {"dump.json": "[1]"}),
    "data is a list": ("is no dump; wanted: a JSON object with 'data'", {"dump.json": '{"data": []}'}),
    "no calls": ("holds no call", {"dump.json": '{"data": {}}'}),
    "call is a list": ("f is no entry; found: list", {"dump.json": '{"data": {"f": []}}'}),
    "part without names": (":1 is no call", {"dump.jsonl.part": '{"a": 1}\n{"a": 2}\n'}),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_no_dump_is_said_in_one_sentence(case: str, tmp_path: Path) -> None:
    message, files = BAD[case]
    folder = tmp_path / "dump"
    path = folder
    if files is not None:
        folder.mkdir()
        for name, text in files.items():
            (folder / name).write_text(text)
            path = folder / name if name.startswith("x") else folder
    with pytest.raises(ToolError) as error:
        read_dump(path)
    assert message in str(error.value) and str(path) in str(error.value) and "\n" not in str(error.value)


def test_a_tensor_file_that_is_cut_off_is_named(tmp_path: Path) -> None:
    a, b = (write_msprobe(tmp_path / name, network(), tensors=True) for name in "ab")
    file = a / "dump_tensor_data" / "Functional.linear.0.forward.input.0.pt"
    file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(ToolError, match=r"linear\.0\.forward\.input\.0\.pt cannot be read"):
        compared(a, b)
    file.unlink()
    assert not compared(a, b).differs, "without the file, statistics decide"


# ---- files


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def test_the_csv_file(tmp_path: Path) -> None:
    comparison = made(tmp_path, network(wrong=2), network(), True)
    (path,) = write_files(comparison, tmp_path / "new" / "out", ["csv"], None)
    rows = rows_of(path)
    assert len(rows) == sum(len(pair.rows) for pair in comparison.sections[0].pairs)
    (bad,) = [row for row in rows if row["Name"] == "Functional.linear.2.forward.output.0"]
    assert bad["Result"] == "error" and float(bad["Cosine"]) < 0.9 and "line 12" in bad["Stack"]


@pytest.mark.parametrize("tensors", [False, True])
def test_the_columns_of_msprobe(tensors: bool, tmp_path: Path) -> None:
    titles = list(columns_of(made(tmp_path, network(), network(), tensors, profile="msprobe")))
    common = "NPU Name, Bench Name, NPU Dtype, Bench Dtype, NPU Tensor Shape, Bench Tensor Shape"
    grad = "NPU Requires_grad, Bench Requires_grad"
    metrics = "Cosine, EucDist, MaxAbsErr, MaxRelativeErr, One Thousandth Err Ratio, Five Thousandths Err Ratio"
    differences = "Max diff, Min diff, Mean diff, L2norm diff, "
    differences += "MaxRelativeErr, MinRelativeErr, MeanRelativeErr, NormRelativeErr"
    statistics = "NPU max, NPU min, NPU mean, NPU l2norm, Bench max, Bench min, Bench mean, Bench l2norm"
    end = "Requires_grad Consistent, Result, Err_message, NPU_Stack_Info" + (", Data_name" if tensors else "")
    wanted = ", ".join(["Step, Rank", common, grad, metrics if tensors else differences, statistics, end])
    assert ", ".join(titles) == wanted


def test_names_do_not_become_formulas(tmp_path: Path) -> None:
    calls = [Made("=cmd|calc", (torch.ones(1),), (torch.ones(1),))]
    (path,) = write_files(made(tmp_path, calls, calls), tmp_path, ["csv"], None)
    assert rows_of(path)[0]["Name"].startswith("'=cmd")


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [("musa:0", "cuda:0", True), ("musa", "cpu", True), ("musa", "mean", False), ("cuda:x", "cpu", False)],
)
def test_a_device_as_an_argument_is_no_difference(left: str, right: str, same: bool, tmp_path: Path) -> None:
    result = torch.ones(3)
    first, second = ([Made("Tensor.to", (result, name), (result,))] for name in (left, right))
    assert (the_cause(made(tmp_path, first, second)) is Cause.NONE) == same
