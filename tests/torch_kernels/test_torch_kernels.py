"""`musa-build torch-musa`, up to the compiler: the checkout, the table, the report, and what a linker says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner
from error_blocks import only_error

from musa_build.cli.main import main
from musa_build.errors import CheckoutError, CheckoutVersionError, SourceError, UnwritableError
from musa_build.porting.pytorch.headers import torch_include
from musa_build.torch_kernels.build import build
from musa_build.torch_kernels.checkout import Checkout
from musa_build.torch_kernels.folder import clean, own
from musa_build.torch_kernels.link import Definitions, describe, undefined
from musa_build.torch_kernels.options import Options
from musa_build.torch_kernels.report import FileReport, Report
from musa_build.torch_kernels.table import KernelEntry, entry_for, registered_stubs, table

CHECKOUT = Path(__file__).parent / "checkout"
OWN = Path(__file__).parents[2] / "backend" / "torch_musa" / "csrc" / "aten" / "ops" / "musa"
KERNELS = "aten/src/ATen/native/cuda"


def checkout(folder: Path, version: str, text: str = "") -> dict[str, str]:
    """Make a checkout with one kernel file; return the environment that names it."""
    (folder / KERNELS).mkdir(parents=True)
    (folder / "version.txt").write_text(f"{version}\n")
    (folder / KERNELS / "AbsKernel.cu").write_text(text or "REGISTER_DISPATCH(abs_stub, &abs_kernel_cuda)\n")
    return {"PYTORCH_REPO_PATH": str(folder)}


def test_a_checkout_has_kernels_and_the_version_of_torch(tmp_path: Path) -> None:
    found = Checkout.find(checkout(tmp_path, "2.13.0a0"), "2.13.0+cpu")
    assert (found.root, found.kernels()) == (tmp_path, ("AbsKernel",))
    assert Checkout.find({"PYTORCH_REPO_PATH": str(tmp_path)}, "2.13.0").version == "2.13.0a0"


@pytest.mark.parametrize("version", ["2.13.1", "2.12.0a0", "2.14.0a0+git1234", "main"])
def test_another_version_is_refused_with_the_tag_to_check_out(tmp_path: Path, version: str) -> None:
    with pytest.raises(CheckoutVersionError) as caught:
        Checkout.find(checkout(tmp_path / "my py", version), "2.13.0+cpu")
    assert caught.value.hint == f"git -C '{tmp_path}/my py' checkout v2.13.0"
    assert version in caught.value.found


def test_without_a_checkout_there_is_one_error(tmp_path: Path) -> None:
    (tmp_path / "sparse").mkdir()
    (tmp_path / "sparse" / "version.txt").write_text("2.13.0\n")
    for path, message in (
        ("", "PYTORCH_REPO_PATH is not set"),
        (tmp_path / "nowhere", "no folder"),
        (tmp_path, "no version.txt"),
        (tmp_path / "sparse", "no kernels for CUDA"),
    ):
        with pytest.raises(CheckoutError, match=message):
            Checkout.find({"PYTORCH_REPO_PATH": str(path)}, "2.13.0")


def test_the_command_reports_a_missing_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTORCH_REPO_PATH", raising=False)
    result = CliRunner().invoke(main, ["torch-musa"])
    assert result.exit_code == 1
    error = only_error(result.output)
    assert error.startswith("error: PYTORCH_REPO_PATH is not set") and error.endswith("[MB207]")


def test_only_patch_says_that_nothing_is_patched() -> None:
    result = CliRunner().invoke(main, ["torch-musa", "--only-patch"])
    assert result.exit_code == 0
    assert "Nothing needs patching" in result.output


def test_the_options_become_flags(tmp_path: Path) -> None:
    assert Options(tmp_path).mcc_flags == ("-O2", "-mathx-disable-fp64")
    assert Options(tmp_path, fp64=True).mcc_flags == ("-O2",)
    assert Options(tmp_path, fp64=True, debug=True).mcc_flags == ("-O0", "-g")
    sanitized = Options(tmp_path, fp64=True, asan=True)
    assert (sanitized.mcc_flags, sanitized.link_flags) == (("-O2", "-fsanitize=address"), ("-fsanitize=address",))


def test_stubs_are_read_from_the_text() -> None:
    text = "REGISTER_DISPATCH(a_stub, &a)\n  REGISTER_CUDA_DISPATCH( b_stub, &b);\n// REGISTER_DISPATCH(c_stub, &c)\n"
    assert registered_stubs(text) == ("a_stub", "b_stub")


def test_a_file_is_used_by_the_table_or_by_its_text() -> None:
    text = "REGISTER_DISPATCH(abs_stub, &abs)\n"
    assert entry_for("AbsKernel", text, "2.13.0+cpu") == KernelEntry({"abs_stub": "UnarySigns.mu"}, ">=2.8")
    assert entry_for("AbsKernel", text, "2.7.1") == KernelEntry({"abs_stub": ""})  # the row does not hold
    assert entry_for("Copy", text, "2.13.0").unused
    assert entry_for("New", text, "2.13.0") == KernelEntry({"abs_stub": ""})
    assert entry_for("Loss", "", "2.13.0").unused


def test_the_table_names_stubs_of_pytorch_and_sources_of_ours() -> None:
    native = torch_include() / "ATen" / "native"
    declared = "".join(path.read_text(errors="replace") for path in native.rglob("*.h"))
    words = set(re.findall(r"\w+", declared))
    for name, row in table().items():
        assert row.stubs, name
        assert bool(row.replaces) != bool(row.unused), name
        for stub, source in row.stubs.items():
            own = stub.removesuffix("_stub")
            assert stub in words or own in words, (name, stub)
            if source:
                assert re.search(rf"\b{own}(?:_stub)?\b", (OWN / source).read_text(encoding="utf-8")), (name, stub)


def test_no_stub_has_two_files() -> None:
    owners: dict[str, str] = {}
    for name, row in table().items():
        for stub in row.stubs:
            assert owners.setdefault(stub, name) == name


def test_the_report_has_the_outcome_of_each_file(tmp_path: Path) -> None:
    report = Report(
        "2.13.0",
        tmp_path,
        (
            FileReport("A.cu", "linked", ("a_stub",), ("Own.mu",)),
            FileReport("Long.cu", "not compiled", ("b_stub",), reason="Long.mu:3:1: no such function"),
            FileReport("C.cu", "not used", reason="it registers nothing"),
        ),
        ("A.cu",),
        tmp_path / "library.so",
    )
    assert report.as_table().splitlines() == [
        "A.cu     linked        a_stub in place of Own.mu",
        "Long.cu  not compiled  Long.mu:3:1: no such function",
        "1 linked, 1 not compiled, 1 not used; 1 compiled in this run",
    ]
    assert "it registers nothing" in report.as_table(every_file=True)
    report.write(tmp_path)
    written = json.loads((tmp_path / "report.json").read_text())
    assert written["files"][0] == {
        "file": "A.cu",
        "state": "linked",
        "stubs": ["a_stub"],
        "replaces": ["Own.mu"],
        "reason": "",
    }


BY_LD = """/usr/bin/ld: /b c/A.mu.o: in function `at::native::marked(int)':
A.mu:(.text+0x1): undefined reference to `at::native::helper(at::TensorIteratorBase&)'
/usr/bin/ld: A.mu:(.text+0x9): undefined reference to `at::native::helper(at::TensorIteratorBase&)'
/usr/bin/ld: /b c/B.mu.o:(.data.rel.ro+0x8): undefined reference to `at::other'
collect2: error: ld returned 1 exit status
"""
BY_LLD = """ld.lld: error: undefined symbol: at::native::helper(at::TensorIteratorBase&)
>>> referenced by A.mu
>>>               /b c/A.mu.o:(at::native::marked(int))
ld.lld: error: undefined symbol: at::other
>>> referenced by B.mu
>>>               /b c/B.mu.o:(.data.rel.ro+0x8)
"""


@pytest.mark.parametrize("output", [BY_LD, BY_LLD])
def test_undefined_functions_are_found_by_object(output: str) -> None:
    objects = ["/b c/A.mu.o", "/b c/B.mu.o", "/b c/C.mu.o"]
    assert undefined(output, objects) == {
        "/b c/A.mu.o": ("at::native::helper(at::TensorIteratorBase&)",),
        "/b c/B.mu.o": ("at::other",),
    }
    assert undefined("collect2: fatal error: cannot find 'ld'", objects) == {}


def test_an_undefined_function_is_named_with_its_source() -> None:
    definitions = Definitions(CHECKOUT)
    symbol = "at::native::angle_of_helper(at::TensorIteratorBase&)"
    assert definitions.source_of(symbol) == f"{KERNELS}/Helper.cu"  # not UnaryComplexKernels.cu, which calls it
    assert definitions.source_of("at::native::nowhere(int)") == ""
    assert definitions.source_of("vtable for at::Thing") == ""
    assert describe([symbol], definitions) == f"{symbol} is undefined; {KERNELS}/Helper.cu defines it"


def test_a_name_must_match_a_file(tmp_path: Path) -> None:
    found = Checkout.find(checkout(tmp_path / "pytorch", torch.__version__.split("+")[0]), torch.__version__)
    with pytest.raises(SourceError, match=r"Nothing\*"):
        build(found, torch.__version__, Options(tmp_path / "out", names=("Nothing*",)))


def test_a_folder_of_others_is_neither_used_nor_removed(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("")
    options = Options(tmp_path, install=False)
    with pytest.raises(UnwritableError, match="has other files"), own(tmp_path):
        pass
    assert clean(options) == ()
    assert (tmp_path / "precious").exists()


def test_clean_removes_what_a_build_made(tmp_path: Path) -> None:
    options = Options(tmp_path / "out", install=False)
    with own(options.folder):
        (options.folder / "objects").mkdir()
    with own(options.folder):  # a second build
        pass
    assert clean(options) == (options.folder,)
    assert list(tmp_path.iterdir()) == []
    assert clean(options) == ()
