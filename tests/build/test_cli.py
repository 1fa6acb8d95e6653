"""`musa-build`: the help of every command, its exit status, and what stays quick."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from io import StringIO
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from musa_build.builder.machine import Machine
from musa_build.cli import main
from musa_build.cli.doctor import Finding, _architectures, _torch, examine, next_steps
from musa_build.environment.sdk import MusaArch, MusaSdk
from musa_build.environment.torch_info import TorchInfo
from musa_build.errors import SdkNotFoundError
from musa_build.explain import columns
from musa_build.explain.texts import translator
from musa_build.system.waiting import Waiting


def commands(group: click.Group, *path: str) -> Iterator[tuple[str, ...]]:
    """Every command by its path, but for hidden ones."""
    yield path
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, *path, name)
        elif not command.hidden:
            yield (*path, name)


# `port` has its own parser; tests/porting/test_porting_command.py has its help.
COMMANDS = [path for path in commands(main) if path != ("port",)]


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_help_has_examples_and_the_exit_status(path: tuple[str, ...]) -> None:
    outcome = CliRunner().invoke(main, [*path, "--help"], terminal_width=100)
    assert outcome.exit_code == 0 and "Examples:" in outcome.output and "Exit status: " in outcome.output
    examples = outcome.output.partition("Examples:\n")[2].partition("\n\n")[0].splitlines()
    assert examples and all("musa-build" in line or "pip install" in line for line in examples)
    assert all(" ".join(path) in line for line in examples) or len(path) < 2, "an example of this command"
    summary = outcome.output.split("\n\n")[1].strip()
    assert summary.endswith("."), "a whole sentence, not one that was cut off"


@pytest.mark.parametrize(
    "arguments",
    [["doctor", "--yaml"], ["no-such-command"], ["install"], ["install", "--level", "6", "x"], ["sim", "run"]],
)
def test_wrong_usage_ends_with_2(arguments: list[str]) -> None:
    assert CliRunner().invoke(main, arguments).exit_code == 2


def test_an_error_ends_with_1(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MUSA_HOME", "/nowhere")
    monkeypatch.setenv("MUSA_BUILD_SIMULATOR", "0")
    outcome = CliRunner().invoke(main, ["env"])
    assert outcome.exit_code == 1 and "error: MUSA_HOME does not point to a MUSA SDK" in outcome.output


def test_eval_of_cuda_env_fails_where_cuda_env_does() -> None:
    """`eval ""` succeeds: a script would go on with the machine's own nvcc."""
    environment = {**os.environ, "MUSA_HOME": "/nowhere", "MUSA_BUILD_SIMULATOR": "0", "COMMAND": sys.executable}
    script = 'eval "$("$COMMAND" -m musa_build cuda-env)"; echo further'
    done = subprocess.run(["sh", "-ec", script], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stdout == ""
    assert "error: MUSA_HOME does not point to a MUSA SDK" in done.stderr


def finding(name: str, text: str = "", *, ok: bool = True, required: bool = True) -> Finding:
    return Finding(name, ok, text, required)


READY = (finding("MUSA SDK", "MUSA 5.1.0, simulated"), finding("torch_musa"))


@pytest.mark.parametrize(
    ("findings", "first"),
    [
        (READY, "musa-build demo"),
        (
            (
                READY[0],
                finding(
                    "torch_musa",
                    "not installed; extensions build without it, but importing one needs it",
                    ok=False,
                    required=False,
                ),
            ),
            "pip install --no-build-isolation --no-cache-dir torch-musa-sim",
        ),
        (
            (finding("MUSA SDK", "5.1"), finding("torch_musa", "not installed; extensions", ok=False, required=False)),
            "install Moore Threads' torch_musa for this torch",
        ),
        (
            (READY[0], finding("torch_musa", "/x cannot be imported; hint: y", ok=False, required=False)),
            "repair torch_musa as its row says",  # it is installed
        ),
        ((finding("MUSA SDK", ok=False),), "export MUSA_BUILD_SIMULATOR=1"),
        ((READY[0], finding("ninja", ok=False)), "repair what is MISSING above"),
        ((finding("settings", ok=False),), "repair what is MISSING above"),  # the SDK was not looked for
    ],
)
def test_doctor_ends_with_what_to_do_next(findings: tuple[Finding, ...], first: str) -> None:
    assert next_steps(findings)[0].startswith(first)
    is_ready = all(each.ok for each in findings if each.required)
    assert len(next_steps(findings)) == 3 if is_ready else "musa-build doctor" in next_steps(findings)[-1]


def test_doctor_does_not_suggest_the_simulator_to_who_has_asked_for_it() -> None:
    absent = (finding("MUSA SDK", "the simulated MUSA SDK could not be created", ok=False), finding("ninja", ok=False))
    assert next_steps(absent, on_simulator=True) == next_steps(absent)[1:]


def test_doctor_gives_the_cure_of_a_cache_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("MUSA_BUILD_SIMULATOR", "1")
    monkeypatch.setenv("MUSA_SIM_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(SdkNotFoundError) as caught:
        _ = Machine.read().sdk
    assert "cannot write the SDK to" in caught.value.found and "Not a directory" in caught.value.found
    assert caught.value.hint == "set MUSA_SIM_CACHE to a directory of yours"
    done = subprocess.run([sys.executable, "-m", "musa_sim", "root"], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and [line.split()[0] for line in done.stderr.splitlines()] == [
        "error:",
        "found:",
        "hint:",
    ]


def test_doctor_names_the_architectures_of_a_build(sim_sdk_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The row has the choice of a build and its reason: the cards before the default, a setting before both."""
    monkeypatch.setenv("MUSA_BUILD_SIMULATOR", "1")
    monkeypatch.delenv("TORCH_MUSA_ARCH_LIST", raising=False)
    monkeypatch.setattr(MusaSdk, "cards", lambda _: (MusaArch(3, 1), MusaArch(2, 1), MusaArch(3, 1)))
    assert _architectures(Machine.read(), has_sdk=True).text == "mp_21 mp_31 (from the simulated card)"
    real = Machine.read()
    vars(real)["sdk"] = replace(real.sdk, simulated=False)
    assert _architectures(real, has_sdk=True).text == "mp_21 mp_31 (from the cards in this machine)"
    assert not _architectures(Machine.read(), has_sdk=False).ok, "without an SDK there are no cards to ask for"
    monkeypatch.setattr(MusaSdk, "cards", lambda _: ())
    found = _architectures(Machine.read(), has_sdk=True)
    assert found.ok and found.text == "mp_22 (from the default, because there is no card in this machine)"
    monkeypatch.setenv("TORCH_MUSA_ARCH_LIST", "21")
    assert _architectures(Machine.read(), has_sdk=False).text == "mp_21 (from TORCH_MUSA_ARCH_LIST)"


def test_doctor_prints_a_row_before_it_begins_the_next_check(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first rows do not wait for torch; programs get the whole at once."""
    begun: list[str] = []
    rows = examine(begins=begun.append)
    assert next(rows).name == "python" and begun == []
    monkeypatch.setattr(Machine, "read", classmethod(lambda _: 1 / 0))
    assert [next(rows).name, next(rows).name] == ["Python.h", "setuptools"]


def test_a_terminal_shows_what_doctor_waits_for(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = StringIO()
    with Waiting(stream, quiet=0) as waiting:
        waiting.begins("torch")
    assert stream.getvalue() == "", "a file gets no such line"
    monkeypatch.setattr(stream, "isatty", lambda: True)
    with Waiting(stream, quiet=0) as waiting:
        waiting.begins("torch")
        assert stream.getvalue().endswith("torch ...\r")
        waiting.before(stream.write)("torch 2.13.0\n")
        assert "torch ...\r\033[Ktorch 2.13.0\n" in stream.getvalue()
    assert stream.getvalue().endswith(("\n", "\033[K"))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_finding_of_doctor_has_a_line_for_each_part(language: str) -> None:
    error = SdkNotFoundError(
        "there is no MUSA SDK here", found="no mcc " + "x " * 60, wanted="a directory", hint="set it"
    )
    row = finding("MUSA SDK", str(error), ok=False)
    whole = row.block(translator(language)).splitlines()
    assert len(whole) == 5 and whole[0].endswith(translator(language)("there is no MUSA SDK here"))
    assert [line[:8] for line in whole[1:]] == [" " * 8] * 4 and whole[1][8] != " "
    narrow = row.block(translator(language), 60).splitlines()
    assert max(map(columns, narrow)) <= 60 and len(narrow) > 6
    assert "".join("".join(whole).split()) == "".join("".join(narrow).split())


def test_what_torch_says_of_cuda_is_not_shown_by_doctor(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def find() -> TorchInfo:
        print("No CUDA runtime is found, using CUDA_HOME='/usr/local/cuda'", file=sys.stderr)
        return TorchInfo("2.13.0", (), ())

    monkeypatch.setattr(TorchInfo, "find", find)
    assert _torch().startswith("2.13.0 ") and capsys.readouterr().err == ""


def test_doctor_suggests_the_checks_on_the_simulator_and_the_probes_on_a_card() -> None:
    assert any(step.startswith("musa-build sim run") for step in next_steps(READY))
    on_a_card = next_steps((finding("MUSA SDK", "MUSA 4.3.6 in /usr/local/musa"), finding("torch_musa")))
    assert any(step.startswith("musa-build verify") for step in on_a_card)


@pytest.mark.parametrize(
    "variables",
    [
        {"CXX": "no-such-compiler"},
        {"CXX": "no-such-compiler", "USE_CCACHE": "1"},
        {"MUSA_HOME": "/no-such-folder", "MUSA_BUILD_SIMULATOR": "0"},
        {"PYTORCH_MCC": "no-such-mcc"},
        {"TORCH_MUSA_ARCH_LIST": "no-such-card"},
        {"MAX_JOBS": "many"},
    ],
    ids=repr,
)
def test_doctor_says_an_error_in_one_row(variables: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    missing = [row.text for row in examine() if not row.ok and row.required]
    assert missing and len(missing) == len(set(missing)), missing


@pytest.mark.compiles
def test_doctor_runs_a_kernel(sim_sdk_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MUSA_BUILD_SIMULATOR", "1")
    outcome = CliRunner().invoke(main, ["doctor", "--run", "--json"])
    (kernel,) = [row for row in json.loads(outcome.stdout) if row["name"] == "a kernel"]
    assert kernel["ok"] and re.fullmatch(r"compiled in [\d.]+ s, run in [\d.]+ s on .+", kernel["text"]), kernel
    monkeypatch.setenv("MUSA_SIM_DEVICES", "mp_31")  # mcc compiles for mp_22
    monkeypatch.setenv("TORCH_MUSA_ARCH_LIST", "22")
    outcome = CliRunner().invoke(main, ["doctor", "--run"])
    assert outcome.exit_code == 1 and "MISSING a kernel: a kernel does not run" in outcome.stdout, outcome.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell: str) -> None:
    outcome = CliRunner().invoke(main, ["completion", shell])
    assert outcome.exit_code == 0 and "_MUSA_BUILD_COMPLETE" in outcome.output


def test_a_shell_gets_the_commands_that_fit() -> None:
    asked = {"COMP_WORDS": "musa-build sim r", "COMP_CWORD": "2", "_MUSA_BUILD_COMPLETE": "bash_complete"}
    program = "from musa_build.cli import main; main.main(prog_name='musa-build')"
    done = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, **asked}, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["plain,root", "plain,run"]
