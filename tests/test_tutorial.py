"""The tutorial's commands, run to their end in the order of the page, in a new environment with the built wheel."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
#: Commands, and the output that is shown below them
BLOCK = re.compile(r"^```(sh|sh fails)\n(.*?)^```\n(?:\n```\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)
#: Parts that differ from machine to machine: the block that a worker runs first, and the folder of a ported file
_VARIES = re.compile(r"(?<=block )\(\d+,\d+,\d+\)|(?<=at )\S+/(?=histogram\.mu:)")

#: Commands of another environment that install from an index
_FROM_INDEX = re.compile(r"^(\S+)/bin/pip install (?!dist/).*", re.MULTILINE)


def same_each_time(output: str) -> list[str]:
    """Return the lines of an output without the parts that differ from machine to machine."""
    return [_VARIES.sub("", line.rstrip()) for line in output.splitlines()]


def not_said(shown: str, said: str) -> list[str]:
    """Return the lines of a shown output that a command did not print, in this order and one below the other."""
    wanted, lines = same_each_time(shown), same_each_time(said)
    starts = range(len(lines) - len(wanted) + 1)
    if any(lines[start : start + len(wanted)] == wanted for start in starts):
        return []
    return [line for line in wanted if line not in lines] or wanted


def test_every_output_of_the_tutorial_is_below_its_command() -> None:
    fences = re.findall(r"^```(.*)$", PAGE, re.MULTILINE)[::2]
    shown = [output for _, _, output in BLOCK.findall(PAGE) if output]
    assert len(shown) == fences.count("") > 0 and {*fences} == {"", "sh", "sh fails"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("mu:8:46", "mu:9:46"),
        ("mu:8:46", "mu:8:50"),
        ("that nobody wrote, at histogram.mu:10:14", "that nobody wrote, at histogram.mu:11:14"),
        ("before it thread (1,0,0)", "before it thread (2,0,0)"),
        ("init: atomic", "init: read"),
    ],
)
def test_a_shown_line_that_differs_is_named(old: str, new: str) -> None:
    shown = next(output for _, _, output in BLOCK.findall(PAGE) if output)
    said = f"before\n{shown}after\n"
    assert not_said(shown, said) == [] and old in said
    elsewhere = said.replace("block (0,0,0)", "block (31,0,0)").replace("at histogram.mu", "at build/musa/histogram.mu")
    assert not_said(shown, elsewhere) == [] and elsewhere != said
    missing = not_said(shown, said.replace(old, new))
    assert len(missing) == 1 and same_each_time(old)[0] in missing[0]
    assert not_said("b\na\n", "a\nb\n") == ["b", "a"]


def without_an_index(commands: str) -> str:
    """Return commands with the tests' own libraries in a new environment, in place of what an index would provide."""
    libraries = 'cp "$(python -c "import site; print(site.getsitepackages()[0])")"/zz_libraries.pth'
    return _FROM_INDEX.sub(rf"{libraries} \1/lib/python3*/site-packages", commands).replace(
        "bin/pip install dist", "bin/pip install --no-deps dist"
    )


@pytest.mark.slow
@pytest.mark.compiles
def test_the_tutorial(tmp_path: Path, sim_sdk_root: Path, fresh_environment: Callable[..., Mapping[str, str]]) -> None:
    blocks = BLOCK.findall(PAGE)
    # the first two install musa-build, which the new environment has, and PyTorch, which is the tests' own
    assert all("pip install" in commands for _, commands, _ in blocks[:2]) and "mkdir histogram" in blocks[2][1]
    environment = fresh_environment(MUSA_BUILD_SIMULATOR="1")
    said = []
    for number, (kind, commands, shown) in enumerate(blocks[2:]):
        folder = tmp_path if number == 0 else tmp_path / "histogram"
        done = subprocess.run(
            ["bash", "-ec", without_an_index(commands)],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        said.append(done.stdout + done.stderr)
        assert (done.returncode != 0) == (kind == "sh fails"), f"{commands}\n{said[-1]}"
        assert not_said(shown, said[-1]) == [], f"docs/tutorial.md shows another output:\n{said[-1]}"
    found = [text for text in said if "[musa-sim] race: " in text]
    assert len(found) == 1 and "histogram.mu" in found[0] and "1 failed" in found[0]
    assert [folder.name for folder in tmp_path.glob("fresh/lib/python3*/site-packages/histogram-1.0*")]
    assert sum("1 passed" in text for text in said) == 2, "after the repair, and in the fresh environment"
    project = tmp_path / "histogram"
    assert "The checks found nothing." in (project / "findings.html").read_text(encoding="utf-8")
    assert [path.name.split("-")[0] for path in (project / "dist").glob("*.whl")] == ["histogram"]
    workflow = yaml.safe_load((project / ".github/workflows/test.yml").read_text(encoding="utf-8"))
    assert workflow["jobs"]["test"]["env"] == {"MUSA_BUILD_SIMULATOR": "1"}
    forced = [step["name"] for step in workflow["jobs"]["test"]["steps"] if "FORCE_MUSA=1 pip" in step.get("run", "")]
    assert forced == ["build"]
