"""The small programs in the SDK's bin/, as public scripts call and read them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

DEVICES = {"MUSA_SIM_DEVICES": "2", "MUSA_SIM_ARCH": "mp_31"}


def said(program: Path, *words: object, fails: bool = False) -> str:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    command = [str(program), *map(str, words)]
    done = subprocess.run(
        command, env={**os.environ, **DEVICES, "PATH": path}, capture_output=True, text=True, check=False
    )
    assert (done.returncode != 0) == fails, done.stderr
    return done.stderr if fails else done.stdout


def test_musa_info_has_the_rows_of_the_installation_guide(sim_sdk_root: Path) -> None:
    text = said(sim_sdk_root / "bin/musaInfo")
    assert text.startswith(f"compiler: mcc\n{'-' * 80}\ndevice#                           0\n")
    devices = [dict(re.findall(r"^([\w .#-]+): +(.*?) *$", part, re.MULTILINE)) for part in text.split("-" * 80)[1:]]
    assert [device["Name"] for device in devices] == ["MUSA simulator (mp_31)"] * 2
    first, second = devices
    assert (first["compute capability"], first["multiProcessorCount"], first["warpSize"]) == ("3.1", "56", "32")
    assert (first["sharedMemPerBlock"], first["maxThreadsPerBlock"]) == ("192.00 KB", "1024")
    assert (first["peers"], second["peers"], second["non-peers"]) == ("device#1", "device#0", "device#1")
    assert re.fullmatch(r"\d+\.\d\d GB \(100%\)", second["memInfo.free"])


def test_versions_are_objects_after_a_name(sim_sdk_root: Path) -> None:
    for name in ("musa_toolkits", "musa_runtime", "mccl", "mudnn"):
        head, _, rest = said(sim_sdk_root / "bin" / f"{name}_version").partition(":")
        assert head == name and json.loads(rest)["version"] == "5.2.0"


def test_gmi_says_what_musatop_reads(sim_sdk_root: Path) -> None:
    gmi = sim_sdk_root / "bin/mthreads-gmi"
    query = json.loads(said(gmi, "-q", "--json"))
    assert query["Attached GPUs"] == "2" and [gpu["Index"] for gpu in query["GPU"]] == ["0", "1"]
    gpu = query["GPU"][1]
    assert gpu["Product Name"] == "MUSA simulator (mp_31)" and gpu["PCI"]["Bus ID"] == "00000000:02:00.0"
    total, used, free = (int(gpu["FB Memory Usage"][name][:-3]) for name in ("Total", "Used", "Free"))
    assert used == 0 and total == free > 0
    assert gpu["Utilization"]["Gpu"] == gpu["Temperature"]["GPU Current Temp"] == "N/A"
    assert re.search(r"Processes:\nID +PID +Process name +GPU Memory Usage\n +No running processes found\n", said(gmi))
    assert f"GPU UUID                              : {gpu['GPU UUID']}" in said(gmi, "-q")
    row = said(gmi, "--query-gpu=index,uuid,temperature.gpu", "--format=csv,noheader").splitlines()[1]
    assert row == f"1, {gpu['GPU UUID']}, N/A"
    assert re.match(r"mthreads-gmi version: \d", said(gmi, "-v"))


def test_gmi_refuses_what_it_cannot_do(sim_sdk_root: Path) -> None:
    assert "has no option '--reset'" in said(sim_sdk_root / "bin/mthreads-gmi", "--reset", fails=True)


@pytest.mark.parametrize("name", ["bin/musify-text", "tools/musify-text"])
def test_musify_text_replaces_names(sim_sdk_root: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "k.cu").write_text("#include <cuda_runtime.h>\ncudaFree(p);\n")
    said(sim_sdk_root / name, "--inplace", "--", tmp_path / "k.cu")
    assert (tmp_path / "k.cu").read_text() == "#include <musa_runtime.h>\nmusaFree(p);\n"
