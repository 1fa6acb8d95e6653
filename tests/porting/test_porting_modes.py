"""The friendly command: `musa-build port DIR` and everything that it can do instead of writing."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from error_blocks import last_error, only_error

from musa_build.porting.__main__ import main

SOURCE = '#include <cuda.h>\n// cudaFree\ncudaFree(cuda_name); f("cuda");\nx = __shfl(x, 1);\n__device__ int y;\n'
PORTED = SOURCE.replace("cuda.h", "musa.h").replace("cudaFree(", "musaFree(")


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, content in {"src/k.cu": SOURCE, "src/sub/n.cuh": "", "src/README": "CUDA"}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def made(root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file() and path.name[0] != "."}


def test_the_plain_command_and_its_words(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["src"]) == 0
    assert (tree / "src_musa/k.mu").read_text() == PORTED
    said = capsys.readouterr().err
    assert "3 files, 2 edits, 3 written, 0 removed, 1 warning\n" in said
    assert "k.cu:4: warning: " in said and "notes: 1 left-over" in said


def test_it_ends_with_what_to_do_next(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):  # the second answer is a kept one
        assert main(["src"]) == 0
        _, steps = capsys.readouterr().err.split("Next:\n")
        assert "src_musa in musa_build.MUSAExtension" in steps and "FORCE_MUSA=1 pip wheel" in steps
        assert "musa-converter" in steps and "in place" in steps


def test_outputs_of_earlier_ports_are_no_sources(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["src"]) == 0
    out = tree.with_name(f"{tree.name}_out")
    assert main([".", "-o", str(out)]) == 0
    assert made(out) == {"src/k.mu", "src/sub/n.muh", "src/README"}
    assert "left out, the output of an earlier port: src_musa\n" in capsys.readouterr().err
    assert main(["src_musa", "-o", "again"]) == 0  # named by itself, it is ported
    assert made(tree / "again") == {"k.mu", "sub/n.muh", "README"}


def test_a_reader_who_leaves_is_no_error(tree: Path) -> None:
    """`--diff | head`: the pipe is closed while there is more to print."""
    (tree / "src/long.cu").write_text("cudaFree(p);\n" * 20_000)
    command = [sys.executable, "-m", "musa_build.porting", str(tree / "src"), "--diff"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as porting:
        assert porting.stdout is not None and porting.stderr is not None
        assert porting.stdout.readline().startswith("---")
        porting.stdout.close()
        assert porting.stderr.read() == ""
    assert porting.returncode == 2


def test_a_full_disk_under_what_is_printed_is_one_error(tree: Path) -> None:
    command = [sys.executable, "-m", "musa_build.porting", str(tree / "src"), "--dry-run"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (2, "error: the output cannot be written: No space left on device\n")


def test_output_rules_and_ignored_files(tree: Path) -> None:
    (tree / "more.rules").write_text("# mine\ncuda_name  musa_name\n[headers | mine]\ncuda.h  my.h\n")
    arguments = ["src", "-o", "deep/out", "--rule", "f=g", "--rules", "more.rules", "--ignore", "*.cuh"]
    assert main([*arguments, "--ignore", "READ*"]) == 0
    text = (tree / "deep/out/k.mu").read_text()
    assert text.splitlines()[0] == "#include <my.h>"
    assert text.splitlines()[2] == 'musaFree(musa_name); g("cuda");'
    assert made(tree / "deep/out") == {"k.mu"}


@pytest.mark.parametrize(
    ("content", "wanted"),
    [
        ("a b\n", "two columns, two or more spaces apart"),
        ("a  b  c\n", "two columns, two or more spaces apart"),
        ("[phrases]\na  b  c\n", "a section [names | source] or [headers | source]"),
        ("[nonsense]\na  b\n", "a section [names | source] or [headers | source]"),
        ("[pattern rules]\na  b  c\n", "lines such as: cudaX  musaX"),
        ("a  b\na  c\n", "lines such as: cudaX  musaX"),
    ],
)
def test_a_bad_rule_file_is_one_error(
    content: str, wanted: str, tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tree / "bad.rules").write_text(content)
    assert main(["src", "--rules", "bad.rules"]) == 2
    error = only_error(capsys.readouterr().err)
    assert "found: bad.rules:" in error and f"wanted: {wanted};" in error
    assert not (tree / "src_musa").exists()


def test_comments_and_strings_on_request(tree: Path) -> None:
    main(["src", "-o", "a", "--comments"])
    assert (tree / "a/k.mu").read_text().splitlines()[1:3] == ["// musaFree", 'musaFree(cuda_name); f("cuda");']
    main(["src", "-o", "b", "--strings", "--rule", "cuda=musa"])
    assert (tree / "b/k.mu").read_text().splitlines()[1:3] == ["// cudaFree", 'musaFree(cuda_name); f("musa");']


def test_the_emulated_cuda_version(tree: Path) -> None:
    (tree / "src/k.cu").write_text("#if CUDA_VERSION >= 12000\n#endif\n")
    for version, wanted in (("12.1", "12010"), ("11.8", "11080"), ("none", "CUDA_VERSION")):
        main(["src", "--emulate-cuda", version])
        assert (tree / "src_musa/k.mu").read_text().splitlines()[0] == f"#if {wanted} >= 12000"


def test_diff_writes_nothing(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["src", "--diff"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["--- a/k.cu", "+++ b/k.mu"]
    assert {"-#include <cuda.h>", "+#include <musa.h>", "rename from sub/n.cuh", "rename to sub/n.muh"} <= set(lines)
    assert not (tree / "src_musa").exists()
    # The diff is a real one: patch makes the ported file of the source.
    patch = "\n".join(lines).partition("\nrename")[0] + "\n"
    command = ["patch", "-s", "-o", "-", "src/k.cu"]
    assert subprocess.run(command, input=patch, capture_output=True, text=True, check=True).stdout == PORTED


def test_check_and_dry_run(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["src", "--dry-run"]) == 0
    assert set(capsys.readouterr().out.split()) == {"k.mu", "sub/n.muh", "README"}
    assert main(["src", "--check"]) == 1
    assert not (tree / "src_musa").exists()
    main(["src"])
    assert main(["src", "--check"]) == 0
    (tree / "src/sub/n.cuh").unlink()
    capsys.readouterr()
    assert main(["src", "--check"]) == 1
    assert capsys.readouterr().out == "sub/n.muh (removed)\n"
    assert (tree / "src_musa/sub/n.muh").exists()


def git(*words: str) -> None:
    subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e", *words], check=True, capture_output=True)


def test_in_place_only_where_git_could_bring_it_back(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from musa_build.cli.main import is_clean

    assert main(["src", "--in-place"], is_clean=is_clean) == 2
    git("init", "-q")
    assert main(["src", "--in-place"], is_clean=is_clean) == 2
    git("add", "src")
    git("commit", "-qm", "all")
    (tree / "src/new").write_text("")
    assert main(["src", "--in-place"], is_clean=is_clean) == 2
    assert made(tree / "src") == {"k.cu", "sub/n.cuh", "README", "new"}
    (tree / "src/new").unlink()
    assert main(["src", "--in-place"], is_clean=is_clean) == 0
    assert made(tree) - {p for p in made(tree) if p.startswith(".git")} == {"src/k.mu", "src/sub/n.muh", "src/README"}
    assert (tree / "src/k.mu").read_text() == PORTED
    assert [path.name for path in (tree / "src").iterdir() if path.name[0] == "."] == []


def test_in_place_on_request(tree: Path) -> None:
    assert main(["src", "--in-place", "--allow-dirty"]) == 0
    assert (tree / "src/k.mu").read_text() == PORTED


class Text(HTMLParser):
    """Collects what a reader of the page sees, and fails on a tag that is closed wrongly."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""

    def handle_data(self, data: str) -> None:
        self.text += data


def test_reports(tree: Path) -> None:
    for form in ("json", "sarif", "html"):
        assert main(["src", "--report", f"report.{form}"]) == 0
    report = json.loads((tree / "report.json").read_text())
    assert report["files"] == 3 and report["edits"] == 2
    finding = next(finding for finding in report["findings"] if finding["severity"] == "warning")
    assert (finding["code"], finding["effort"]) == ("unsynchronised-warp-function", "low")
    assert (finding["path"], finding["line"]) == ("k.cu", 4)

    sarif = json.loads((tree / "report.sarif").read_text())
    (run,) = sarif["runs"]
    known = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert all("\nCure\n" in rule["help"]["text"] for rule in run["tool"]["driver"]["rules"])
    assert sarif["version"] == "2.1.0" and known == {result["ruleId"] for result in run["results"]}
    location = run["results"][-1]["locations"][0]["physicalLocation"]
    assert location["artifactLocation"]["uri"] == "k.cu" and location["region"]["startLine"] >= 1

    page = (tree / "report.html").read_text()
    parser = Text()
    parser.feed(page)
    assert "#include <musa.h>" in parser.text and "unsynchronised-warp-function" in parser.text
    assert "1 place probably needs a person, in 1 file." in parser.text and "Nothing was written" not in parser.text
    assert main(["src", "--analyze", "--report", "report.html"]) == 0
    assert "Nothing was written" in (tree / "report.html").read_text()
    assert "src=" not in page and "href=" not in page  # readable on its own


def test_a_long_report_is_grouped_by_folder(tree: Path) -> None:
    waits = "#include <cooperative_groups.h>\n__global__ void k() { cooperative_groups::this_grid().sync(); }\n"
    for number in range(45):
        folder = tree / "src" / f"part{number % 3}" / "inner"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"k{number}.cu").write_text(waits if number == 4 else "int f() { return cudaDeviceSynchronize(); }\n")
    assert main(["src", "--report", "report.html"]) == 0
    page = (tree / "report.html").read_text()
    titles = re.findall(r'<summary><h2>(\S+?)<span class="faint">(.*?)</span>', page)
    assert titles[0] == ("Notes", "1 place")
    # warnings first: k.cu of the fixture in ".", then part1's one
    assert titles[1:3] == [(".", "1 file, 1 warning"), ("part1/inner", "15 files, 1 warning")], titles
    assert titles[3:] == [("part0/inner", "15 files"), ("part2/inner", "15 files")]
    assert "1 changed" not in page and "44 changed" in page  # the bar has a legend


def test_a_long_report_about_one_folder_is_one_open_list(tree: Path) -> None:
    for number in range(45):
        (tree / "src" / f"k{number}.cu").write_text("int f() { return cudaDeviceSynchronize(); }\n")
    assert main(["src", "--report", "report.html"]) == 0
    page = (tree / "report.html").read_text()
    assert '<h2>Files<span class="faint">46</span></h2>' in page and '<details class="card group"' not in page


def test_a_report_that_cannot_be_written_is_one_error(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["src", "--report", "src/k.cu/report.json"]) == 2
    assert last_error(capsys.readouterr().err).startswith("error: the report cannot be written")


def test_verify_finds_rules_that_match_their_own_result(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["src", "--verify"]) == 0
    assert main(["src", "--verify", "--rule", "f=f(f)"]) == 1
    assert "unstable: porting k.mu again" in capsys.readouterr().err


def test_in_place_with_the_names_that_build_files_know(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tree / "src/CMakeLists.txt").write_text("musa_add_executable(k k.cu)")
    for edits in (2, 0):
        assert main(["src", "--in-place", "--keep-names", "--allow-dirty"]) == 0
        assert f"4 files, {edits} edits, " in capsys.readouterr().err
        assert made(tree / "src") == {"k.cu", "sub/n.cuh", "README", "CMakeLists.txt"}
        assert (tree / "src/k.cu").read_text() == PORTED
    assert main(["src", "--in-place", "--allow-dirty"]) == 0  # without, the same files get their names
    assert made(tree / "src") == {"k.mu", "sub/n.muh", "README", "CMakeLists.txt"}


def test_the_analysis_counts_warnings_and_notes_apart(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tree / "src/k.cu").write_text("__global__ void k() { x = __shfl_down_sync(0xffffffff, x, threadIdx.x % 32); }\n")
    main(["--analyze", "src"])
    said = capsys.readouterr().out
    assert "\n  no warnings, 2 notes\n" in said and said.count("k.cu") == 0
    assert "\n  see: musa-build explain warp-width\n" in said
    assert any(line.split()[:5] == ["medium", "0", "2", "1", "warp-width:"] for line in said.splitlines())
    (tree / "src/k.cu").write_text(SOURCE)
    main(["--analyze", "src"])
    said = capsys.readouterr().out
    assert "\n  1 warning, which probably needs a person; effort: " in said
    (tree / "src/k.cu").write_text(SOURCE * 5)
    main(["--analyze", "src"])
    said = capsys.readouterr().out
    assert "\n  5 warnings, which probably need a person; effort: " in said
    assert [line.split()[0] for line in said.splitlines() if "k.cu:" in line] == ["k.cu:4:", "k.cu:9:", "k.cu:14:"]
    assert "... and 2 more (--report FILE.html shows all)" in said and "musa-build explain " in said


def test_analyze(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kernel = '__global__ void k() { __shared__ float a[9000]; asm("x"); double d; }\n'
    (tree / "src/k.cu").write_text(kernel + "cudaFree(p);\n")
    assert main(["--analyze", "src", "--arch", "mp_21"]) == 0
    said = capsys.readouterr().out
    assert "for mp_21" in said and " 1 kernel\n" in said and "graded high" in said
    assert [line.split()[4] for line in said.splitlines() if line.split()[:1] in (["high"], ["low"])] == [
        "inline-assembly:",
        "static-shared-memory:",
        "fp64:",
    ]
    main(["--analyze", "src", "--arch", "mp_31"])
    assert "static-shared-memory" not in capsys.readouterr().out
    assert not (tree / "src_musa").exists()


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("cudaMallocAsync", "cudaMallocAsync -> musaMallocAsync"),
        ("CUBLAS_STATUS_NOT_SUPPORTED", "-> MUBLAS_STATUS_NOT_IMPLEMENTED"),
        ("ATen/cuda/CUDAContext.h", "-> <torch_musa/csrc/aten/musa/MUSAContext.h>"),
        ("cudnnCreate", "not renamed"),
        ("is_cuda", "is_privateuseone"),
        ("__CUDA_ARCH__", "translated thresholds"),
        ("CUDA_VERSION", "emulated"),
        ("cudaLaunchKernelEx", "(by its shape, mapping)"),
        ("WITH_CUDA", "the package's own name"),
        ("printf", "nothing to port"),
    ],
)
def test_query(name: str, wanted: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--query", name]) == 0
    assert wanted in capsys.readouterr().out


@pytest.mark.parametrize(("name", "made"), [("cudaNoSuch", "musaNoSuch"), ("cublasNoSuch", "mublasNoSuch")])
def test_query_of_a_name_that_cuda_lacks(name: str, made: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--query", name]) == 1
    said = capsys.readouterr().out
    assert said.startswith(f"{name}: CUDA has no such name") and f"would make {made} of it" in said


def test_the_console_script_hands_over(tree: Path) -> None:
    pytest.importorskip("click")
    command = [sys.executable, "-m", "musa_build", "port", "src"]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "3 written" in run.stderr
    assert (tree / "src_musa/k.mu").read_text() == PORTED
