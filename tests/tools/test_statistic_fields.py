"""A statistic of a dump is one entry of one list: a throw-away one goes from a tensor to every report."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).with_name("programs")

HERE = Path(__file__).parent
PROGRAM = HERE / "programs/one_more_statistic.py"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The files of a program that has one more statistic, and what it printed."""
    root = tmp_path_factory.mktemp("spread")
    command = [sys.executable, str(PROGRAM), str(root)]
    environment = {**os.environ, "PYTHONPATH": str(HERE)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return root, done.stdout


def test_the_dump_and_the_reader_have_it(written: tuple[Path, str]) -> None:
    root, printed = written
    content = json.loads((root / "a/dump/step0/rank/dump.json").read_text())
    (entry,) = content["data"]["Torch.relu.0.forward"]["input_args"]
    assert entry["Spread"] == 4.0 and list(entry)[3:8] == ["Max", "Min", "Mean", "Norm", "Spread"]
    assert re.search(r"input\.0: .*, max 3, min -1, mean 0\.83\d+, norm 3\.20\d+, spread 4\n", printed)


def test_every_report_has_it(written: tuple[Path, str]) -> None:
    root, _ = written
    (table,) = (root / "out").glob("*.csv")
    row = next(csv.DictReader(table.open(newline="")))
    assert (row["spread"], row["Other spread"], row["Spread diff"]) == ("4", "3", "1")
    (report,) = (root / "out").glob("*.json")
    first = json.loads(report.read_text())["sections"][0]["calls"][0]["rows"][0]
    assert (first["left"]["spread"], first["right"]["spread"]) == (4.0, 3.0)
    (page,) = (root / "out").glob("*.html")
    data = page.read_text().partition('id="data"')[2].partition(">")[2].partition("</script>")[0]
    packed = json.loads(data)
    names = packed["statistics"]
    assert names == ["max", "min", "mean", "norm", "spread"]
    value = packed["sections"][0]["calls"][0][9][0][1]
    assert dict(zip(names, value[2:]))["spread"] == 4.0
    assert "...data.statistics" in page.read_text(), "the headings are those of the list"


def test_it_takes_part_in_the_comparison() -> None:
    """Two values that agree in all but this statistic are apart."""
    program = (PROGRAMS / "compares_one_more_statistic.py").read_text(encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout == f"0.25 Difference(absolute=1.0, relative={1 / 3})\n", done.stderr
