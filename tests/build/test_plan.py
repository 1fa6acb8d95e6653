"""Object names, the graph, ninja's file of it, and the number of jobs."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import subprocess
import time
from pathlib import Path

import pytest

from musa_build import demo
from musa_build.builder import ninja_writer, runner
from musa_build.builder.machine import MEMORY_PER_JOB, free_memory, job_count, usable_cores
from musa_build.builder.plan import BuildPlan, CompileStep, LinkStep, Toolchains, join, object_path, plan_extension
from musa_build.builder.precompiled_headers import PrecompilePolicy, with_precompiled_headers
from musa_build.builder.recorder import RecordedCompile, RecordedLink, Recording, record
from musa_build.environment.sdk import MusaArch
from musa_build.environment.settings import Value
from musa_build.errors import CompileFailedError, SettingError, SourceError, UnexpectedToolError
from musa_build.force_musa import installer
from musa_build.mcc_toolchain import MccToolchain
from musa_build.toolchain.compilers import CxxToolchain, Language, language_of

GOLDEN = Path(__file__).parent / "golden"
AWKWARD = ["a b", "a$b", "a $b", "a$ b", "$$ x", "a:b", "a'b\"c", "ü"]


def copying_plan(root: Path) -> BuildPlan:
    """Copies awkwardly named files into an awkwardly named folder, then all of them into one."""
    outputs = [f"out $ {name}/o.o" for name in AWKWARD]
    compiles = tuple(
        CompileStep("demo", Language.CXX, name, output, ("sh", "-c", 'cp "$1" "$2"', "sh", name, output))
        for name, output in zip(AWKWARD, outputs)
    )
    join = ("sh", "-c", 'out=$1; shift; cat "$@" > "$out"', "sh", "all $x.so", *outputs)
    link = LinkStep("demo", tuple(outputs), "all $x.so", join, "destination")
    for name in AWKWARD:
        (root / name).write_text(f"{name}\n")
    return BuildPlan(compiles, (link,))


def test_ninja_reads_every_name_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    plan = copying_plan(tmp_path)
    file = ninja_writer.write(plan, Path("build $d"))
    runner.run_ninja(plan.descriptions, file, [link.output for link in plan.links], jobs=2, verbose=False)
    assert (tmp_path / "all $x.so").read_text() == "".join(f"{name}\n" for name in AWKWARD)
    assert json.loads((tmp_path / "build $d" / "compile_commands.json").read_text())[0]["file"] == "a b"
    ninja = str(runner.find_ninja())
    again = subprocess.run([ninja, "-f", str(file)], capture_output=True, text=True, check=True)
    assert "no work to do" in again.stdout


def test_the_file_is_written_only_when_it_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    plan = copying_plan(tmp_path)
    before = ninja_writer.write(plan, tmp_path).stat().st_mtime_ns
    assert ninja_writer.write(plan, tmp_path).stat().st_mtime_ns == before


def test_failures_are_printed_completely(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").touch()
    script = "echo '[1/9] not progress'; echo FAILED: nothing; echo last; exit 3"
    steps = tuple(CompileStep("demo", Language.MUSA, "in", f"{n}.o", ("sh", "-c", script, str(n))) for n in (1, 2))
    plan = BuildPlan(steps, ())
    with pytest.raises(CompileFailedError) as caught:
        graph = ninja_writer.write(plan, tmp_path)
        runner.run_ninja(plan.descriptions, graph, [], jobs=2, verbose=False, keep_going=True)
    text = str(caught.value)
    blocks = re.findall(r"^demo: mcc in \((?:exit code 3, )?log: ", text, re.MULTILINE)  # an old ninja has no code
    assert len(blocks) == 2 and text.count("last") >= 2 and text.endswith("last")
    assert "last" not in capsys.readouterr().out


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_on_a_terminal_and_in_a_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    lines = ["[1/2] a step with a long name", "a.cpp: warning: x", "[2/2] link"]
    texts = []
    for stream in (Terminal(), io.StringIO()):
        progress = runner.Progress(stream)
        for line in lines:
            progress(line)
        progress.finish()
        texts.append(stream.getvalue())
    assert texts[0] == "\r\x1b[K[1/2] a step with a\na.cpp: warning: x\n\r\x1b[K[2/2] link\n"
    assert texts[1] == "".join(f"{line}\n" for line in lines)


def test_steps_that_take_long_are_not_silent() -> None:
    log, terminal = io.StringIO(), Terminal()
    for stream in (log, terminal):
        with runner.Progress(stream, quiet=0.1) as progress:
            time.sleep(0.5)
            progress("[1/2] a.cpp")
            time.sleep(0.5)
            progress("[2/2] link")
    lines = log.getvalue().splitlines()
    assert re.fullmatch(r"still compiling this step after \d+ s", lines[0]) and lines[-1] == "[2/2] link"
    middle = lines[lines.index("[1/2] a.cpp") + 1 : -1]
    assert all(re.fullmatch(r"still compiling this step after \d+ s, 1 of 2 steps done", line) for line in middle)
    assert 1 <= len(middle) <= 5  # ever more rarely
    said: list[str] = []
    for line in lines:  # in the output of pip, of which these show a part
        demo.ProgressLog(said.append).line(f"  {line}")
        assert installer._PROGRESS.match(f"  {line}")
    assert said == [f"    {line}" for line in lines]
    shown = terminal.getvalue()
    assert shown.count("\n") == 1 and shown.endswith("\r\x1b[K[2/2] link\n")  # each line replaces the one before


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_broken_stream_is_an_error_of_the_build_alone() -> None:
    class Broken(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    with pytest.raises(BrokenPipeError), runner.Progress(Broken(), quiet=0.02) as progress:
        time.sleep(0.2)
        progress("[1/2] a.cpp")


def test_an_error_ends_the_line_and_the_thread() -> None:
    terminal = Terminal()
    progress = runner.Progress(terminal, quiet=0.02)
    with pytest.raises(KeyboardInterrupt), progress:
        progress("[1/2] a.cpp")
        raise KeyboardInterrupt
    written = terminal.getvalue()
    assert written.endswith("[1/2] a.cpp\n")
    time.sleep(0.1)
    assert terminal.getvalue() == written


class Tee:
    """A replacement of stdout as training scripts install it: it can do no more than this."""

    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str) -> None:
        self.text += text

    def flush(self) -> None:
        pass


def test_progress_on_a_stand_in_for_stdout(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tee = Tee()
    monkeypatch.setattr("sys.stdout", tee)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.cpp").touch()
    plan = BuildPlan((CompileStep("demo", Language.CXX, "m.cpp", "m.o", ("true",)),), ())
    runner.run_ninja(plan.descriptions, ninja_writer.write(plan, tmp_path), [], jobs=1, verbose=False)
    assert "[1/1] demo: c++ m.cpp" in tee.text


def test_an_impossible_graph_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    plan = BuildPlan((CompileStep("demo", Language.CXX, "missing.cpp", "m.o", ("true",)),), ())
    with pytest.raises(CompileFailedError, match=r"missing\.cpp.*missing and no known rule"):
        runner.run_ninja(plan.descriptions, ninja_writer.write(plan, tmp_path), [], jobs=1, verbose=False)


def test_a_line_break_in_a_flag_is_refused() -> None:
    step = CompileStep("demo", Language.CXX, "a.cpp", "a.o", ("c++", "-DX=a\nb"))
    with pytest.raises(SettingError, match="line break"):
        ninja_writer.render(BuildPlan((step,), ()), "build")


def test_object_paths() -> None:
    def path(source: str) -> str:
        return object_path(source, "build/demo", "/home/me/project")

    assert path("csrc/k.mu") == "build/demo/csrc/k.mu.o"
    assert path("/home/me/project/csrc/k.mu") == "build/demo/csrc/k.mu.o"
    outside = {path("../k.mu"), path("/home/me/k.mu"), path("/home/you/k.mu"), path("../other/k.mu")}
    assert len(outside) == 4 and all(".." not in name and name.startswith("build/demo/outside-") for name in outside)


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("a.mu", "mcc"),
        ("a.MU", "mcc"),
        ("a.cu", "mcc"),
        ("a.muh", "mcc"),
        ("a.cc", "c++"),
        ("a.C", "c++"),
        ("a.S", "cc"),
    ],
)
def test_languages(name: str, language: str) -> None:
    assert language_of(name).value == language


def test_an_unknown_suffix() -> None:
    with pytest.raises(SourceError, match=r"suffix '\.txt'"):
        language_of("a.txt")


class StrangeCompiler:
    """A compiler that puts its words in another order than every setuptools so far."""

    def _compile(self, output: str, source: str, *_: object) -> None:
        self.call(["cc", "-o", output, source])

    def call(self, command: list[str]) -> None:
        raise AssertionError(f"ran {shlex.join(command)}")


def test_an_unknown_command_shape_stops_the_build() -> None:
    compiler = StrangeCompiler()
    with pytest.raises(UnexpectedToolError, match="please report"):  # noqa: SIM117  # one line each
        with record(compiler, forced=lambda _: False, object_name=str):
            compiler._compile("a.o", "a.cpp", ".cpp", ["-c"], {"cxx": [], "mcc": []}, None)
    assert "call" not in vars(compiler), "the compiler is itself again"


def test_a_long_link_line_goes_through_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """sh takes 128 KiB at most; real compilers read @files, with quotes."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a b.c").write_text("int main() { return 0; }\n")
    subprocess.run(["cc", "-c", "a b.c", "-o", "a b.o"], check=True)
    command = ("cc", "-o", "program", "a b.o", *(f"-Wl,-rpath,/it's/a long $place/{number}" for number in range(5000)))
    plan = BuildPlan((), (LinkStep("demo", ("a b.o",), "program", command, "destination"),))
    runner.run_ninja(plan.descriptions, ninja_writer.write(plan, tmp_path), ["program"], jobs=1, verbose=False)
    assert b"/it's/a long $place/4999" in (tmp_path / "program").read_bytes()


def test_mcc_has_a_pool_of_its_own_when_asked() -> None:
    steps = (
        CompileStep("demo", Language.MUSA, "k.mu", "k.o", ("mcc",)),
        CompileStep("demo", Language.CXX, "b.cpp", "b.o", ("c++",)),
    )
    text = ninja_writer.render(BuildPlan(steps, ()), "build", mcc_jobs=3)
    assert "pool mcc\n  depth = 3\n" in text and text.count("pool = mcc") == 1
    assert "pool" not in ninja_writer.render(BuildPlan(steps, ()), "build")


def test_device_link() -> None:
    """One more object of the MUSA objects, linked with the others; before the libraries that it needs."""
    toolchains = Toolchains(CxxToolchain(("c++",)), MccToolchain(("/sdk/bin/mcc",), (MusaArch(2, 2),)))
    compiles = [
        RecordedCompile("k.mu", "o/k.mu.o", Language.MUSA, ("cc",), ("-c",), ("-fgpu-rdc",), None, None),
        RecordedCompile("b.cpp", "o/b.cpp.o", Language.CXX, ("cc",), ("-c",), (), None, None),
    ]
    link = RecordedLink(("c++", "-shared", "o/k.mu.o", "o/b.cpp.o", "-lx", "-o", "lib/demo.so", "-ly"), "lib/demo.so")
    plan = plan_extension("demo", Recording(compiles, [link]), toolchains, directory="o", device_link=("-lz",))
    (step,) = plan.device_links
    assert step.command == (
        *("/sdk/bin/mcc", "o/k.mu.o", "-o", "o/dlink.o", "-fPIC", "--offload-arch=mp_22", "-dlink", "-lz"),
    )
    assert plan.links[0].command == (
        *("c++", "-shared", "o/dlink.o", "o/k.mu.o", "o/b.cpp.o", "-lx", "-o", "o/demo.so", "-ly"),
    )
    assert "o/dlink.o" in plan.links[0].inputs


def every_edge() -> BuildPlan:
    """A plan with each kind of step: precompiled header, C++, mcc, device link, link."""
    toolchains = Toolchains(CxxToolchain(("c++",)), MccToolchain(("sdk/bin/mcc",), (MusaArch(2, 2),)))
    compiles = [
        RecordedCompile("k.mu", "o/k.mu.o", Language.MUSA, ("cc",), ("-c",), ("-fgpu-rdc",), None, None),
        RecordedCompile("b.cpp", "o/b.cpp.o", Language.CXX, ("cc", "-fPIC"), ("-Iinclude", "-c"), (), None, "c++20"),
    ]
    link = RecordedLink(("c++", "-shared", "o/k.mu.o", "o/b.cpp.o", "-lx", "-o", "lib/demo.so", "-ly"), "lib/demo.so")
    plan = plan_extension("demo", Recording(compiles, [link]), toolchains, directory="o", device_link=("-lz",))
    return with_precompiled_headers(join([plan]), "o", PrecompilePolicy(1, "g++"), lambda source: "torch/extension.h")


def test_golden_build_ninja(tmp_path: Path) -> None:
    """Every edge of a graph in one file that ninja understands; look at a difference before writing it anew."""
    plan = every_edge()
    golden = GOLDEN / "build.ninja"
    assert ninja_writer.render(plan, "o", mcc_jobs=1) == golden.read_text()
    for name in ("k.mu", "b.cpp", "sdk/bin/mcc", plan.precompiles[0].source):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    command = [str(runner.find_ninja()), "-n", "-v", "-f", str(golden)]
    environment = {**os.environ, "NINJA_STATUS": ""}
    dry = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    commands = dry.stdout.splitlines()
    (header,) = [line for line in commands if line.startswith(shlex.join(plan.precompiles[0].command) + " || ")]
    others = [shlex.join(step.command) for step in (*plan.compiles, *plan.device_links, *plan.links)]
    assert sorted(commands) == sorted([header, *others])
    assert commands.index(header) < commands.index(shlex.join(plan.compiles[1].command))
    assert commands[-1] == shlex.join(plan.links[0].command)


def test_limits_of_a_container(tmp_path: Path) -> None:
    """Control groups, versions 2 and 1: the smaller of the machine's and theirs."""
    for name, text in {
        "cpu.max": "150000 100000\n",
        "memory.max": f"{3 << 30}\n",
        "memory.current": f"{2 << 30}\n",
        "memory.stat": f"anon 7\ninactive_file {1 << 29}\n",
        "v1/cpu/cpu.cfs_quota_us": "100000",
        "v1/cpu/cpu.cfs_period_us": "100000",
        "v1/memory/memory.limit_in_bytes": f"{1 << 30}",
        "v1/memory/memory.usage_in_bytes": f"{1 << 29}",
        "unlimited/cpu.max": "max 100000",
        "unlimited/memory.max": "max",
        "unlimited/memory.current": "5",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert usable_cores(tmp_path) == min(2, usable_cores(tmp_path / "nowhere"))
    assert usable_cores(tmp_path / "v1") == 1
    assert free_memory(tmp_path) == (3 << 30) - (2 << 30) + (1 << 29)
    assert free_memory(tmp_path / "v1") == 1 << 29
    assert free_memory(tmp_path / "unlimited") > 1 << 30


def test_job_count() -> None:
    unset, four = Value("", "the default"), Value("4", "MAX_JOBS")
    assert job_count(four, 9, 2, 0) == 4
    assert job_count(unset, 3, 16, 0) == 3
    assert job_count(unset, None, 16, 5 * MEMORY_PER_JOB) == 5
    assert job_count(unset, None, 2, 50 * MEMORY_PER_JOB) == 2
    assert job_count(unset, None, 2, 0) == 1
    with pytest.raises(SettingError, match="MAX_JOBS is not a number of jobs"):
        job_count(Value("0", "MAX_JOBS"), None, 2, 0)
