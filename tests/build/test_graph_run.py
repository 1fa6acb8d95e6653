"""The graph in a build directory: when it is trusted, which results are delivered, and who may touch it."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from musa_build import logger_util
from musa_build.builder import incremental, ninja_writer, runner
from musa_build.builder.graph import with_stamps
from musa_build.builder.incremental import BuildState, run_graph, try_incremental_build
from musa_build.builder.machine import MCC_LAUNCHER, Launcher, Machine
from musa_build.builder.plan import BuildPlan, CompileStep, LinkStep, Toolchains, plan_extension
from musa_build.builder.recorder import RecordedLink, Recording
from musa_build.builder.runner import sharing_environment
from musa_build.environment.settings import Settings
from musa_build.errors import CompileFailedError
from musa_build.system import files
from musa_build.system.process import locked
from musa_build.toolchain.compilers import CxxToolchain, Language


def copying(name: str, *, optional: bool = False) -> BuildPlan:
    """A plan in the current directory whose compiler and linker is cp: NAME.cpp -> NAME.o -> out/NAME.so."""
    compile = CompileStep(name, Language.CXX, f"{name}.cpp", f"{name}.o", ("cp", f"{name}.cpp", f"{name}.o"))
    output, command = f"{name}.so", ("cp", compile.output, f"{name}.so")
    return BuildPlan((compile,), (LinkStep(name, (compile.output,), output, command, f"out/{name}.so", optional),))


def written(*plans: BuildPlan, key: str = "key") -> BuildState:
    """The state of a graph that was just written into the current directory, and saved there."""
    plan = BuildPlan(
        tuple(step for plan in plans for step in plan.compiles), tuple(link for plan in plans for link in plan.links)
    )
    ninja_writer.write(plan, Path())
    watched = {str(path): files.identity(path) for path in (Path(runner.FILE_NAME), Path("libf.a"))}
    state = BuildState.of(plan, key, watched)
    state.save(Path())
    return state


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("one", "two"):
        Path(f"{name}.cpp").write_text(name)
    return tmp_path


def test_a_saved_graph_is_loaded_as_it_was(here: Path) -> None:
    state = written(copying("one"), copying("two", optional=True))
    assert BuildState.load(here, "key") == state
    assert BuildState.load(here, "another key") is None


def torn(path: Path) -> None:
    path.write_text(path.read_text()[:-9])


CHANGES: dict[str, Callable[[], object]] = {
    "another build.ninja": lambda: Path("build.ninja").write_text("# not ours\n"),
    "no build.ninja": lambda: Path("build.ninja").unlink(),
    "a library that was missing": lambda: Path("libf.a").touch(),
    "no graph.json": lambda: Path("graph.json").unlink(),
    "half a graph.json": lambda: torn(Path("graph.json")),
    "a graph.json of another release": lambda: Path("graph.json").write_text('{"key": "key"}'),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_graph_that_may_be_another_is_not_trusted(change: Callable[[], object], here: Path) -> None:
    written(copying("one"))
    assert BuildState.load(here, "key") is not None
    change()
    assert BuildState.load(here, "key") is None
    assert try_incremental_build(here, "key", Machine(Settings({}, {})), 1, False) is False


def delivered() -> dict[str, str]:
    return {path.name: path.read_text() for path in Path("out").iterdir()}


def test_required_libraries_are_delivered(here: Path) -> None:
    written(copying("one"), copying("two"))
    assert try_incremental_build(here, "key", Machine(Settings({}, {})), 1, False) is True
    assert delivered() == {"one.so": "one", "two.so": "two"}
    Path("one.cpp").write_text("one, edited")
    assert try_incremental_build(here, "key", Machine(Settings({}, {})), 1, False) is True
    assert delivered() == {"one.so": "one, edited", "two.so": "two"}
    assert try_incremental_build(here, "", Machine(Settings({}, {})), 1, False) is False, "no key: planned each time"


def test_an_optional_library_of_an_earlier_build_goes(here: Path, caplog: pytest.LogCaptureFixture) -> None:
    state = written(copying("one"), copying("two", optional=True))
    run_graph(state, here, 1, False, False)
    assert delivered() == {"one.so": "one", "two.so": "two"}
    Path("two.cpp").unlink()
    Path("two.cpp").mkdir()  # cp says no
    run_graph(state, here, 1, False, False)
    assert delivered() == {"one.so": "one"}


def test_a_failure_stops_other_files_only_where_asked(here: Path) -> None:
    written(copying("one"), copying("two"))
    Path("one.cpp").unlink()
    Path("two.cpp").unlink()
    Path("one.cpp").mkdir()
    Path("two.cpp").mkdir()
    for keep_going, failed in ((True, "2 steps failed"), (False, "1 step failed")):
        with pytest.raises(CompileFailedError, match=failed):
            try_incremental_build(here, "key", Machine(Settings({}, {})), 1, keep_going)


def test_libraries_are_inputs_of_a_link(here: Path) -> None:
    for name in ("named.a", "lib/libfound.a", "lib/libshared.so", "more.txt"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).touch()
    command = ("c++", "-shared", "o/b.o", "named.a", "-Llib", "-lfound", "-lshared", "@more.txt", "-o", "lib/demo.so")
    recording = Recording([], [RecordedLink(command, "lib/demo.so")])
    plan = plan_extension("demo", recording, Toolchains(CxxToolchain(("c++",)), None), directory="o")
    lines = ninja_writer.render(plan, "o").splitlines()
    (edge,) = [line for line in lines if line.startswith("build o/demo.so: link ")]
    assert {"o/b.o", "named.a", "lib/libfound.a", "lib/libshared.so", "more.txt"} <= set(edge.split())


def test_a_step_runs_again_where_only_its_stamps_say_so(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A compiler, a library or a torch that is another one, but older than what was made with the last."""
    tool = here / "bin" / "own-cp"
    tool.parent.mkdir()
    monkeypatch.setenv("PATH", f"{tool.parent}:{os.environ['PATH']}")
    plan = copying("one")
    compile, link = plan.compiles[0], plan.links[0]
    plan = BuildPlan(
        (replace(compile, command=("own-cp", *compile.command[1:])),), (replace(link, candidates=("libf.a",)),)
    )

    def ran(environment: str = "torch 1") -> list[str]:
        stamped = with_stamps(plan, str(here), [environment])
        for path, text in stamped.texts.items():
            files.write_if_changed(Path(path), text)
        lines: list[str] = []
        file = ninja_writer.write(stamped.plan, here)
        runner.run_ninja(plan.descriptions, file, ["one.so"], jobs=1, verbose=False, on_line=lines.append)
        return [line.partition("one: ")[2].partition(" ")[0] for line in lines if "one: " in line]

    def write(path: Path, text: str) -> None:
        path.write_text(text)
        path.chmod(0o755)
        os.utime(path, (1_000_000_000, 1_000_000_000))

    write(tool, '#!/bin/sh\ncp "$@"\n')
    assert ran() == ["c++", "link"] and ran() == []
    write(tool, '#!/bin/sh\nexec cp "$@"\n')
    assert "c++" in ran() and ran() == []
    write(Path("libf.a"), "")
    assert ran() == ["link"] and ran() == []
    assert ran("torch 2")[0] == "c++" and ran("torch 2") == []


@pytest.mark.parametrize("interrupted", ["open", "replace"])
def test_an_interrupted_write_leaves_the_old_file_whole(
    interrupted: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "graph.json"
    path.write_text("the old one")

    def interrupt(self: Path, *_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Path, interrupted, interrupt)
        with pytest.raises(KeyboardInterrupt):
            files.write_if_changed(path, "the new one")
    assert path.read_text() == "the old one" and list(tmp_path.iterdir()) == [path]


def test_a_written_file_is_another_one(tmp_path: Path) -> None:
    """A process that has the old one open, or mapped as a program has its libraries, continues to read it."""
    path = tmp_path / "demo.so"
    path.write_text("old")
    with path.open() as reader:
        files.write_if_changed(path, "new")
        assert reader.read() == "old" and path.read_text() == "new"


def test_a_lock_is_held_until_its_end(tmp_path: Path) -> None:
    def is_free() -> bool:
        with (tmp_path / "deep" / "build.lock").open("a") as other:
            try:
                fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            return True

    with locked(tmp_path / "deep" / "build.lock"):
        assert not is_free()
    assert is_free()
    with pytest.raises(ValueError), locked(tmp_path / "deep" / "build.lock"):
        raise ValueError
    assert is_free()


@pytest.mark.parametrize(("held_for", "messages"), [(0.2, 0), (1.3, 1)])
def test_a_long_wait_for_a_lock_is_logged(
    held_for: float, messages: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a build that seems to hang, the message names the lock file."""
    path, lines, order = tmp_path / "build.lock", [], []
    monkeypatch.setattr(logger_util.LOGGER, "info", lambda text, *values: lines.append(text % values))
    other = path.open("a")
    fcntl.flock(other, fcntl.LOCK_EX)

    def release() -> None:
        order.append("released")
        other.close()

    timer = threading.Timer(held_for, release)
    timer.start()
    with locked(path):
        order.append("acquired")
    timer.join()
    assert order == ["released", "acquired"]
    assert lines == [f"waiting for another build to release the lock {path}"] * messages


def test_a_killed_process_leaves_no_lock_behind(tmp_path: Path) -> None:
    path = tmp_path / "build.lock"
    code = (
        "import sys, time; from pathlib import Path; from musa_build.system.process import locked\n"
        "with locked(Path(sys.argv[1])): print('held', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        holder.kill()
    start = time.monotonic()
    with locked(path):
        assert time.monotonic() - start < 30  # the process would have held it for 60


def test_a_build_waits_for_the_one_that_writes_the_graph(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[Path] = []
    written(copying("one"))

    def watched(path: Path) -> object:
        held.append(path)
        return locked(path)

    monkeypatch.setattr(incremental, "locked", watched)
    try_incremental_build(here, "key", Machine(Settings({}, {})), 1, False)
    assert held == [here / "build.lock"]


@pytest.mark.parametrize(
    ("command", "used"),
    [
        (("/usr/bin/ccache",), True),
        (("/usr/bin/sccache",), False),
        (("/usr/bin/ccache", "distcc"), False),
        (("/opt/own-launcher",), False),
    ],
)
def test_mcc_runs_below_ccache_alone(command: Sequence[str], used: bool, tmp_path: Path) -> None:
    mcc = tmp_path / "mcc"
    mcc.write_text("#!/bin/sh\necho mcc version 4.2\n")
    mcc.chmod(0o755)
    before = Launcher(tuple(command)).for_mcc((str(mcc),))
    assert bool(before) is used
    if used:
        assert before[0] == str(MCC_LAUNCHER) and before[2:] == tuple(command) and os.access(MCC_LAUNCHER, os.X_OK)
        assert before[1].startswith("string:") and "/" not in before[1], "the same on another machine"
        mcc.write_text("#!/bin/sh\necho mcc version 4.3\n")
        assert Launcher(tuple(command)).for_mcc((str(mcc),))[1] != before[1]


def test_mcc_calls_distcc_by_itself() -> None:
    assert Launcher(("/usr/bin/distcc",)).for_mcc(("mcc",)) == ("/usr/bin/env", "MUSA_SIM_DISTCC=/usr/bin/distcc")
    assert Launcher(("/usr/bin/distcc", "--randomize")).for_mcc(("mcc",)) == ()


@pytest.mark.parametrize(
    ("environment", "base"),
    [
        ("/home/me/checkout/.venv", "/home/me/checkout"),
        ("/home/me/checkout/backend/.venv", "/home/me/checkout/backend"),
        ("/home/me/.envs/musa", "/home/me/checkout/backend"),
        ("/home/me/checkout/other/.venv", "/home/me/checkout/backend"),
        ("/venv", "/home/me/checkout/backend"),
        ("/usr", "/home/me/checkout/backend"),
    ],
)
def test_what_lies_in_the_tree_is_shared_through_ccache(
    environment: str, base: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CCACHE_BASEDIR", raising=False)
    project = Path("/home/me/checkout/backend")
    assert sharing_environment(project, Path(environment)) == {"CCACHE_BASEDIR": base}
    monkeypatch.setenv("CCACHE_BASEDIR", "/chosen")
    assert sharing_environment(project, Path(environment)) == {}


@pytest.mark.skipif(shutil.which("ccache") is None, reason="there is no ccache here")
def test_ccache_shares_results_between_trees_with_an_environment_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in os.environ if name.startswith("CCACHE_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("CCACHE_DIR", str(tmp_path / "ccache"))
    for tree, hits in ((tmp_path / "one", 0), (tmp_path / "another", 1)):
        headers, project = tree / ".venv" / "include", tree / "backend"
        headers.mkdir(parents=True)
        project.mkdir()
        (headers / "torch.h").write_text("constexpr int answer = 42;\n")
        (project / "ops.cpp").write_text('#include "torch.h"\nint ask() { return answer; }\n')
        subprocess.run(
            ["ccache", "g++", f"-I{headers}", "-c", "ops.cpp", "-o", "ops.o"],
            cwd=project,
            env={**os.environ, **sharing_environment(project, tree / ".venv")},
            check=True,
        )
        said = subprocess.run(["ccache", "--print-stats"], stdout=subprocess.PIPE, text=True, check=True).stdout
        counts = dict(line.split("\t") for line in said.splitlines())
        assert int(counts["direct_cache_hit"]) + int(counts["preprocessed_cache_hit"]) == hits


def test_compile_commands_that_are_a_link_stay_one(here: Path) -> None:
    """The usual set-up for clangd: a link in the project's root."""
    Path("editor").mkdir()
    Path("compile_commands.json").symlink_to("editor/commands.json")
    ninja_writer.write(copying("one"), here / "build", commands_in_root=True)
    assert Path("compile_commands.json").is_symlink()
    assert Path("editor/commands.json").read_text() == (here / "build" / "compile_commands.json").read_text()
