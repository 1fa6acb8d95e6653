"""`musa-build demo`: what it copies and refuses, and the whole way."""

from __future__ import annotations

import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from script_modules import module_of

from musa_build.demo import ProgressLog, copy_example, example, sources
from musa_build.errors import ProjectError

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
