"""`python -m musa_build.porting` as a person types it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from error_blocks import only_error

from musa_build.porting.__main__ import main


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, content in {"cuda/k.cu": "cudaFree(cuda);\n", "cuda/csrc/npu/x.cu": "", "mapping/m.json": "{}"}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_short_form_in_a_process_of_its_own_needs_no_torch(tree: Path) -> None:
    code = "import sys, musa_build.porting.__main__ as m; m.main(sys.argv[1:]); assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code, "--cuda-dir-path", "cuda/"], check=True, cwd=tree)
    assert (tree / "cuda_musa/k.mu").read_text() == "musaFree(cuda);\n"
    run = subprocess.run([sys.executable, "-m", "musa_build.porting", "--help"], capture_output=True, check=True)
    assert b"--cuda-dir-path" in run.stdout


README_LINE = (
    "{python} -m musa_build.porting --cuda-dir-path cuda/ --ignore-dir-paths {ignore} "
    "--mapping-rule {rule} --drop-default-mapping --mapping-dir-path mapping/"
)


@pytest.mark.parametrize(
    ("ignore", "rule"),
    [
        ('["csrc/npu"]', '{"cuda":"musa"}'),  # as printed: the shell takes the quotation marks away
        ("'[\"csrc/npu\"]'", '\'{"cuda":"musa"}\''),
        ('\'["csrc/npu", "csrc"]\'', '\'{"cuda": "musa", "never": "x"}\''),
        ('["csrc/npu","csrc"]', '{"cuda":"musa","never":"x"}'),  # bash expands the braces to two words
        ('["csrc/npu", "csrc"]', '{"cuda": "musa"}'),
    ],
)
def test_full_command_of_the_readme_typed_into_bash(ignore: str, rule: str, tree: Path) -> None:
    line = README_LINE.format(python=sys.executable, ignore=ignore, rule=rule)
    subprocess.run(["bash", "-c", line], check=True, cwd=tree)
    made = [path.name for path in (tree / "cuda_musa").rglob("*") if path.is_file() and path.name[0] != "."]
    assert made == ["k.mu"]
    assert (tree / "cuda_musa/k.mu").read_text() == "cudaFree(musa);\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "one folder"),
        (["cuda", "--cuda-dir-path", "cuda"], "one folder"),
        (["cuda", "--rule", "=x"], "--rule cannot be read"),
        (["cuda", "--rule", "a=b", "--rule", "a=c"], "given twice"),
        (["cuda", "--rules", "missing.json"], "missing.json"),
        (["cuda", "--emulate-cuda", "eleven"], "version to emulate"),
        (["cuda", "--report", "report.txt"], "no known form"),
        (["cuda", "-o", "cuda/out"], "beside each other"),
        (["cuda", "-o", "."], "beside each other"),
        (["cuda", "-o", "mapping/m.json"], "not a folder"),
        (["cuda", "--in-place"], "could not be undone"),
        (["--cuda-dir-path", "missing"], "does not exist"),
        (["--cuda-dir-path", "cuda", "--mapping-rule", '{"cuda":'], "--mapping-rule cannot be read"),
        (["--cuda-dir-path", "cuda", "--mapping-rule", "cuda"], "--mapping-rule cannot be read"),
        (["--cuda-dir-path", "cuda", "--mapping-rule", "[1]"], "--mapping-rule cannot be read"),
        (["--cuda-dir-path", "cuda", "--mapping-rule", '{"a": 1}'], "text to text"),
        (["--cuda-dir-path", "cuda", "--ignore-dir-paths", '["a"'], "--ignore-dir-paths cannot be read"),
        (["--cuda-dir-path", "cuda", "--ignore-dir-paths", "[1]"], "--ignore-dir-paths cannot be read"),
        (["--cuda-dir-path", "cuda", "--mapping-dir-path", "missing"], "missing is not a folder"),
        (["--cuda-dir-path", "mapping", "--mapping-dir-path", "cuda"], "is empty"),
    ],
)
def test_bad_input_is_one_block_and_exit_code_2(
    arguments: list[str], message: str, tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert message in only_error(capsys.readouterr().err)
    assert not list(tree.glob("*_musa"))


def test_an_unknown_option_ends_with_the_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["--cuda-dir-pth", "x"])
    assert caught.value.code == 2
    said = capsys.readouterr().err
    assert said.startswith("Usage: ") and said.endswith("\n\nError: unrecognized arguments: --cuda-dir-pth\n")
