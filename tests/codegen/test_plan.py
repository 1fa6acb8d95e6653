"""The plan of each entry of musa_functions.yaml, and the error for each mistake."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from musa_codegen.entries import read_entries
from musa_codegen.errors import FunctionsError
from musa_codegen.plan import KernelClass, Plan, plan
from musa_codegen.pytorch import PyTorch
from musa_codegen.write import files_of, write

from .conftest import REPOSITORY

LIBRARY = Path(__file__).parent / "library"
Planned = Callable[..., Plan]


@pytest.fixture
def planned(pytorch: PyTorch, tmp_path: Path) -> Planned:
    """Plan a text."""

    def make(text: str, skip_unknown: bool = False) -> Plan:
        file = tmp_path / "musa_functions.yaml"
        file.write_text(text)
        return plan(file, read_entries(file), pytorch, skip_unknown)

    return make


def test_kinds_of_the_manuals_examples(pytorch: PyTorch) -> None:
    file = LIBRARY / "musa_functions.yaml"
    kinds = plan(file, read_entries(file), pytorch).kinds
    assert kinds["lerp.Scalar"] is kinds["lerp_.Tensor"] is KernelClass.LEGACY
    assert kinds["tril"] is kinds["tril.out"] is KernelClass.LEGACY_META
    assert kinds["triu_"] is KernelClass.CUSTOMIZED
    assert kinds["nonzero"] is kinds["add.out"] is kinds["add.Tensor"] is KernelClass.UNSTRUCTURED_CUSTOMIZED
    assert kinds["view_as_real"] is KernelClass.UNSTRUCTURED_LEGACY


def test_other_keys_are_unstructured(planned: Planned) -> None:
    made = planned(
        "- func: cat\n  dispatch:\n    QuantizedPrivateUse1: CatQuantized\n"
        "- func: cat.out\n  dispatch:\n    PrivateUse1: CatOut\n    SparsePrivateUse1, AutogradPrivateUse1: CatOther\n"
    )
    found = {(each.key, each.kernel, each.kind) for each in made.registrations}
    assert found == {
        ("PrivateUse1", "CatOut", KernelClass.LEGACY_META),
        ("QuantizedPrivateUse1", "CatQuantized", KernelClass.UNSTRUCTURED_CUSTOMIZED),
        ("SparsePrivateUse1", "CatOther", KernelClass.UNSTRUCTURED_CUSTOMIZED),
        ("AutogradPrivateUse1", "CatOther", KernelClass.UNSTRUCTURED_CUSTOMIZED),
    }
    text = "".join(files_of(made, 1).values())
    assert "TORCH_LIBRARY_IMPL(aten, QuantizedPrivateUse1, m)" in text
    assert "XPU" not in text


def test_check_and_guard(planned: Planned) -> None:
    head = "- func: nonzero\n  dispatch:\n    PrivateUse1: Nonzero\n"
    usual = "".join(files_of(planned(head), 1).values())
    assert "check_and_update_common_device" in usual and "OptionalDeviceGuard" in usual
    bare = "".join(files_of(planned(f"{head}  device_check: NoCheck\n  device_guard: false\n"), 1).values())
    assert "check_and_update_common_device(common" not in bare and "device_guard(device_of" not in bare


def test_tags_and_autogen_are_accepted(planned: Planned) -> None:
    made = planned(
        "- func: nonzero\n  dispatch:\n    PrivateUse1: Nonzero\n  tags: dynamic_output_shape\n  autogen: nonzero.out\n"
    )
    assert [each.kernel for each in made.registrations] == ["Nonzero"]


MISTAKES = {
    "no list": ("func: add.Tensor\n", 1, "must be a list"),
    "no yaml": ("- func: [\n", 2, ""),
    "no func": ("- dispatch:\n    PrivateUse1: A\n", 1, "without `func`"),
    "twice": ("- func: nonzero\n- func: nonzero\n", 2, "listed twice"),
    "field twice": ("- func: nonzero\n  tags: a\n  tags: b\n", 3, "'tags' stands twice"),
    "unknown field": ("- func: nonzero\n  dispach:\n    PrivateUse1: A\n", 1, "unknown field 'dispach'"),
    "unknown key": ("- func: nonzero\n  dispatch:\n    CUDA: A\n", 3, "possible: PrivateUse1"),
    "unknown function": ("- func: lerp_.Tensor_out\n", 1, "similar: lerp.Tensor_out"),
    "dispatch on a delegate": (
        "- func: tril\n  dispatch:\n    PrivateUse1: A\n- func: tril.out\n  dispatch:\n    PrivateUse1: B\n",
        1,
        "write it on tril.out",
    ),
    "no dispatch in an unstructured group": (
        "- func: add.Tensor\n- func: add.out\n  structured: false\n  dispatch:\n    PrivateUse1: A\n",
        1,
        "each variant needs a kernel of its own",
    ),
    "a ufunc": ("- func: add.Tensor\n", 1, "add `dispatch: PrivateUse1: NAME` to add.out"),
    "precomputed without a kernel": (
        "- func: tril.out\n  precomputed:\n  - diagonal -> int var\n",
        1,
        "need a kernel of ours",
    ),
    "precomputed of no argument": (
        "- func: tril.out\n  dispatch:\n    PrivateUse1: A\n  precomputed:\n  - diagonal int var\n",
        1,
        "write `- ARGUMENT -> TYPE NAME`",
    ),
    "precomputed of another function's argument": (
        "- func: tril.out\n  dispatch:\n    PrivateUse1: A\n  precomputed:\n  - dim -> int var\n",
        1,
        "'dim' is no argument of the function, which has self, diagonal",
    ),
    "unknown base class": (
        "- func: tril.out\n  dispatch:\n    PrivateUse1: A\n  structured_inherits: Base\n",
        1,
        "declare it in Base.h",
    ),
    "inherits, not structured": (
        "- func: nonzero\n  structured_inherits: Base\n  dispatch:\n    PrivateUse1: A\n",
        1,
        "belongs to structured functions",
    ),
    "not structured": ("- func: nonzero\n  structured: true\n  dispatch:\n    PrivateUse1: A\n", 1, "not structured"),
    "no C++ name": ("- func: nonzero\n  dispatch:\n    PrivateUse1: a-b\n", 1, "no name of a C++ function"),
    "no boolean": ("- func: nonzero\n  device_guard: maybe\n", 1, "possible: true, false"),
    "no check": ("- func: nonzero\n  device_check: Some\n", 1, "possible: NoCheck, ExactSame"),
}


@pytest.mark.parametrize(("text", "line", "words"), MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistake_is_one_error_with_its_line(planned: Planned, text: str, line: int, words: str) -> None:
    with pytest.raises(FunctionsError) as caught:
        planned(text)
    assert [mistake.line for mistake in caught.value.mistakes] == [line]
    assert words in str(caught.value)
    assert f"musa_functions.yaml:{line}: " in str(caught.value)


def test_all_mistakes_are_reported_at_once(planned: Planned) -> None:
    with pytest.raises(FunctionsError) as caught:
        planned("- func: no_such\n- func: nonzero\n  structured: true\n- func: nor_this\n")
    assert sorted(mistake.line for mistake in caught.value.mistakes) == [1, 2, 4]
    assert [line.split(":")[1] for line in str(caught.value).split("\n") if not line.startswith(" ")] == ["1", "2", "4"]


def test_unknown_functions_can_be_left_out(planned: Planned) -> None:
    made = planned("- func: gated_silu\n- func: nonzero\n  dispatch:\n    PrivateUse1: A\n", skip_unknown=True)
    assert made.unknown == ("gated_silu",)
    assert len(made.registrations) == 1


def test_a_changed_entry_changes_one_shard(planned: Planned, tmp_path: Path) -> None:
    text = (LIBRARY / "musa_functions.yaml").read_text().replace("  structured_inherits: MyMetaBase\n", "")
    folder = tmp_path / "generated"
    write(files_of(planned(text)), folder)
    assert write(files_of(planned(text)), folder) == ([], [])
    written, removed = write(files_of(planned(text.replace("Nonzero", "OtherNonzero"))), folder)
    assert sorted(name for name in written if name.endswith(".cpp")) == [name for name in written if "Register" in name]
    assert len(written) == 2 and "ATen/ops/nonzero_native.h" in written
    assert not removed


def test_what_is_no_longer_listed_is_removed(planned: Planned, tmp_path: Path) -> None:
    folder = tmp_path / "generated"
    both = "- func: nonzero\n  dispatch:\n    PrivateUse1: A\n- func: tril.out\n  dispatch:\n    PrivateUse1: B\n"
    write(files_of(planned(both)), folder)
    _, removed = write(files_of(planned(both[: both.index("- func: tril")])), folder)
    assert "ATen/ops/tril_native.h" in removed and "ATen/ops/tril_musa_dispatch.h" in removed
    assert not (folder / "ATen/ops/tril_native.h").exists()


def test_the_command(tmp_path: Path) -> None:
    wrong = tmp_path / "musa_functions.yaml"
    wrong.write_text("- func: nonzero\n  dispach: {}\n")
    command = [sys.executable, "-m", "musa_codegen", str(wrong), "-o", str(tmp_path / "out")]
    ended = subprocess.run(command, cwd=REPOSITORY / "backend" / "codegen", capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith(f"{wrong}:1: nonzero: unknown field 'dispach'")
    assert not (tmp_path / "out").exists()
