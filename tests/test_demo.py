"""`musa-build demo`: what it copies and refuses, and the whole way."""

from __future__ import annotations

import os
import re
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Optional

import numpy as np
import pytest
from click.testing import CliRunner
from script_modules import module_of

from musa_build import demo
from musa_build.cli import main
from musa_build.demo import ProgressLog, copy_example, example, sources
from musa_build.environment.torch_musa_import import ImportOfTorchMusa
from musa_build.errors import ProjectError, TorchNotFoundError

ROOT = Path(__file__).resolve().parent.parent
SVG = "{http://www.w3.org/2000/svg}"
#: Texts of the picture: titles, labels of the axes, and ticks of each
SHOWN = {
    *("x / π", "sin x", "cos 32x", "x (radians)", "-π", "π/2", "1", "-1"),
    *("The largest error beside NumPy in float64", "float16", "float32", "float64", "1e-18", "1e0"),
    "largest absolute error of results from -1 to 1",
}


def texts_of(picture: str) -> set[str]:
    """Return the texts that an SVG shows."""
    return {str(each.text) for each in ET.fromstring(picture).iter(f"{SVG}text")}


def tracked() -> set[str]:
    done = subprocess.run(
        ["git", "ls-files", "-z"], cwd=example(), capture_output=True, text=True, check=True
    ).stdout.split("\0")
    return {name for name in done if name and not name.startswith(".") and "/." not in name}


def test_it_copies_what_was_written_by_hand(tmp_path: Path) -> None:
    said: list[str] = []
    folder = copy_example(tmp_path / "demo", said.append)
    copied = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert copied == {path.as_posix() for path in sources(example())}
    assert {"setup_musa.py", "demo.py", "freqencoder/src/freqencoder.cu"} <= copied
    if (ROOT / ".git").exists():
        assert copied == tracked()
    copy_example(tmp_path / "demo", said.append)  # again: the folder is that of an earlier demo


def test_it_refuses_a_folder_with_other_files(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(ProjectError, match=r"there are files in it.*MB206"):
        copy_example(tmp_path, lambda line: None)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_wheel_has_the_same_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    namespace: dict[str, Any] = {"__name__": "setup_script"}
    text = (ROOT / "setup.py").read_text(encoding="utf-8").replace("setup(cmdclass", "dict(cmdclass")
    exec(compile(text, "setup.py", "exec"), namespace)
    build_py = namespace["BuildPy"]
    files = build_py.example_files(build_py)  # it needs no distribution, only the class's folder
    prefix = Path("musa_build", "demo", "example")
    assert {Path(file) for file in files.values()} == {prefix / path for path in sources(example())}


def test_progress_is_shown_and_the_rest_is_kept() -> None:
    said: list[str] = []
    log = ProgressLog(said.append)
    for line in ("running build_ext", "[1/2] mcc k.mu", "warning: a thing"):
        log.line(line)
    assert said == ["    [1/2] mcc k.mu"] and list(log.last) == [
        "running build_ext",
        "[1/2] mcc k.mu",
        "warning: a thing",
    ]


def test_the_picture_has_titles_and_axes() -> None:
    draw = module_of(example() / "encoding_picture.py", "encoding_picture").picture
    x = np.linspace(-np.pi, np.pi, 5)
    names = ("x / π", "sin x", "cos 32x")
    errors = {"float16": (2e-4, 5e-4), "float32": (float("nan"), 5e-7), "float64": (0.0, 1e-15)}
    wrong = np.array([0, np.nan, 1, 90, 0])
    picture = draw("musa", x, {names[0]: x / np.pi, names[1]: np.sin(x), names[2]: wrong}, errors)
    assert texts_of(picture) >= SHOWN | {"freqencoder on musa", "2.0e-04 (allowed 5e-04)", "0 (allowed 1e-15)"}
    assert "nan (allowed 5e-07)" in texts_of(picture) and "prefers-color-scheme: dark" in picture
    root = ET.fromstring(picture)
    curves = [str(each.get("d")) for each in root.iter(f"{SVG}path") if each.get("class") == "curve"]
    middle, left, right, amplitude = 72 + 36 * 2.5, 110, 750, 13  # of the third row
    first, last = f"M{left:.1f} {middle:.1f}", f"M{left + 320:.1f} {middle - amplitude:.1f}L"
    assert len(curves) == 3 and curves[2].startswith(first + last) and curves[2].endswith(f"L{right:.1f} {middle:.1f}")
    assert "nan" not in "".join(curves) and "146.4" in curves[2]  # 90 stays near its row
    circles = [(each.get("class"), float(str(each.get("cx")))) for each in root.iter(f"{SVG}circle")]
    assert [kind for kind, _ in circles] == ["dot", "dot", "zero"]
    assert circles[2][1] == left and circles[1][1] == right and left < circles[0][1] < right


@pytest.mark.parametrize("given", ["1", "0", None])
def test_the_demo_ends_with_the_variable_that_it_chose(given: Optional[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MUSA_BUILD_SIMULATOR", given or "")
    if given is None:
        monkeypatch.delenv("MUSA_BUILD_SIMULATOR")

    def run(output: Path, say: Callable[[str], None], *, install: bool) -> Path:
        os.environ["MUSA_BUILD_SIMULATOR"] = "1"
        return output / "picture.svg"

    monkeypatch.setattr("musa_build.demo.run", run)
    said = CliRunner().invoke(main, ["demo"]).output
    assert ("First: export MUSA_BUILD_SIMULATOR=1" in said) is (given != "1")
    assert "Next: FORCE_MUSA=1 pip install" in said


@pytest.mark.slow
@pytest.mark.compiles
def test_the_demo(tmp_path: Path, sim_sdk_root: Path, fresh_environment: Callable[..., Mapping[str, str]]) -> None:
    command = ["musa-build", "demo", "--output", str(tmp_path / "demo")]
    environment = fresh_environment()
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "[3/3] freqencoder._MUSAC: link" in done.stdout and "musa agrees with the reference" in done.stdout
    assert f"picture: {tmp_path / 'demo' / 'freqencoder.svg'}" in done.stdout
    assert texts_of((tmp_path / "demo" / "freqencoder.svg").read_text(encoding="utf-8")) >= SHOWN
    terminal = module_of(ROOT / "docs" / "site" / "terminal.py", "site_terminal")
    said = terminal.shown(done.stdout.replace(str(tmp_path / "demo"), "musa-demo"))
    picture = terminal.text_of(terminal.PICTURE.read_text(encoding="utf-8"))
    assert same_lines(said) == same_lines(picture), "python docs/site/terminal.py"


def same_lines(said: str) -> list[str]:
    """Return the lines of the demo without what differs from machine to machine: the order of compilers, numbers."""
    said = re.sub(r"\d\.\de[+-]\d\d(?= \(allowed)|(?<=torch )\d+\.\S+|cpython-\S+?(?=\.so)", "N", said)
    said = re.sub(r"^( +)\[\d/\d\]", r"\1[-]", said, flags=re.MULTILINE)
    lines = [line.rstrip() for line in said.splitlines()]
    steps = [index for index, line in enumerate(lines) if line.lstrip().startswith("[-]")]
    lines[steps[0] : steps[-1] + 1] = sorted(lines[index] for index in steps)  # they are compiled at the same time
    return lines


def test_the_picture_of_the_demo_has_the_lines_of_its_program() -> None:
    """A slow test compares the whole with a run; this one has the steps and the last line."""
    terminal = module_of(ROOT / "docs" / "site" / "terminal.py", "site_terminal")
    lines = terminal.text_of(terminal.PICTURE.read_text(encoding="utf-8")).splitlines()
    steps = [line for line in lines if re.match(r"\[\d/4\] ", line)]
    source = (ROOT / "musa_build" / "demo" / "__init__.py").read_text(encoding="utf-8")
    assert len(steps) == 4 and all(line[6:] in source for line in steps)
    assert lines[:2] == ["$ export MUSA_BUILD_SIMULATOR=1", f"$ {terminal.COMMAND}"]
    assert [line for line in lines if line][-1] in (ROOT / "musa_build" / "cli" / "new.py").read_text(encoding="utf-8")


#: One install of the demo: the arguments of pip that a test looks for
Installed = list[str]


@pytest.fixture
def installs(monkeypatch: pytest.MonkeyPatch) -> Installed:
    """Replaces pip: the arguments of each call are kept, and what they name is there from then on."""
    kept: Installed = []

    def install(arguments: Sequence[str], *_: object) -> None:
        kept.append(" ".join(arguments))

    monkeypatch.setattr(demo, "_install", install)
    monkeypatch.setattr(
        demo,
        "_is_here",
        lambda name: name == "torch" or any(name.replace("_", "-") in each or name in each for each in kept),
    )
    return kept


REFUSED = (
    "ImportError: torch_musa was compiled for torch 2.13.0+cpu, but this is 2.8.0. Compile it again: pip install x"
)
SIMULATED = {"MUSA_BUILD_SIMULATOR": "1"}


def require(install: bool, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch, *errors: str) -> list[str]:
    """Run the demo's first step; each import of torch_musa ends with the next of `errors`, "" for none."""
    outcomes = iter([ImportOfTorchMusa("2.8.0", errors=(error,) if error else ()) for error in errors])
    monkeypatch.setattr(demo.ImportOfTorchMusa, "tried", lambda: next(outcomes))
    said: list[str] = []
    demo._require_torch(said.append, environment, install=install)
    return said


def test_it_installs_the_device_and_numpy(installs: Installed, monkeypatch: pytest.MonkeyPatch) -> None:
    require(True, SIMULATED, monkeypatch, "")
    assert [each.rpartition(" ")[2] for each in installs] == [demo.BACKEND, "numpy"]
    assert "--no-deps" in installs[0] and "--no-binary" not in installs[0], "a wheel of the index is enough"


def test_it_compiles_a_device_that_was_compiled_for_another_torch(
    installs: Installed, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = require(True, SIMULATED, monkeypatch, REFUSED, "")
    assert installs[-1].endswith(f"--no-binary torch-musa-sim {demo.BACKEND}") and "--force-reinstall" in installs[-1]
    assert any("compiled for torch 2.13.0+cpu, but this is 2.8.0: compiling it" in line for line in said), said


@pytest.mark.parametrize(("install", "errors"), [(True, (REFUSED, REFUSED)), (False, (REFUSED,))])
def test_it_stops_where_the_device_cannot_be_imported(
    install: bool, errors: tuple[str, ...], installs: Installed, monkeypatch: pytest.MonkeyPatch
) -> None:
    installs += ["torch_musa", "numpy"]
    expected = r"torch_musa cannot be imported; found: .*wanted: .* torch 2\.8\.0; hint: compile it again: pip .*MB103"
    with pytest.raises(TorchNotFoundError, match=expected):
        require(install, SIMULATED, monkeypatch, *errors)
    assert len(installs) == 2 + install


@pytest.mark.parametrize(("missing", "there"), [("torch_musa", "numpy"), ("numpy", "torch_musa")])
def test_without_install_it_names_what_is_missing(
    missing: str, there: str, installs: Installed, monkeypatch: pytest.MonkeyPatch
) -> None:
    installs.append(there)
    with pytest.raises(TorchNotFoundError, match=rf"{missing}.* is not installed; .*musa-build demo --install"):
        require(False, SIMULATED, monkeypatch)


def test_it_says_who_chose_the_simulator(monkeypatch: pytest.MonkeyPatch, sim_sdk_root: Path) -> None:
    said: list[str] = []
    for variable in ("MUSA_HOME", "MUSA_PATH"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr("musa_build.environment.sdk._candidates", lambda settings: iter(()))
    for value in ("0", "1"):
        monkeypatch.setenv("MUSA_BUILD_SIMULATOR", value)
        demo._sdk_environment(said.append)
    assert said[0].endswith("(chosen by demo)") and said[1].endswith("(from MUSA_BUILD_SIMULATOR)"), said
