"""The message when something is missing or wrong: one sentence with a remedy, or the compiler's own text; last,
whole, and without a traceback."""

from __future__ import annotations

import json
import re
import sys
import sysconfig
from pathlib import Path

import pytest
from demo_project import KERNEL, Outcome, Project
from error_blocks import last_error
from test_diagnostics import HEADER, OVERLOADS, SOURCE


def sentence(outcome: Outcome) -> str:
    """The error on one line; it must be the last of the output."""
    assert outcome.returncode != 0 and "Traceback" not in outcome.output, outcome.output
    last = outcome.output.strip("\n").splitlines()[-1]
    assert re.match(r"error: |  see: +musa-build explain MB", last), outcome.output
    return last_error(outcome.output)


def bin_with(directory: Path, *programs: str) -> str:
    """A PATH that holds these programs only."""
    import shutil

    directory.mkdir()
    for program in programs:
        found = shutil.which(program)
        assert found is not None
        (directory / program).symlink_to(found)
    return str(directory)


def test_a_compile_error_comes_last_and_whole(project: Project) -> None:
    project.write("csrc/kernel.mu", KERNEL.replace("values[i] = factor", "values[i] = undeclared_name"))
    outcome = project.build()
    assert outcome.returncode == 1 and "Traceback" not in outcome.output
    head, first, tail = re.split(r"(error: 1 step failed.*)\n  see:    musa-build explain MB401\n", outcome.output)
    assert "undeclared_name" not in head, "the text belongs to the end"
    assert re.fullmatch(
        r"error: 1 step failed: demo: mcc csrc/kernel\.mu:\d+: use of undeclared identifier '\w+' \[MB401\]",
        first,
    )
    assert "demo: mcc csrc/kernel.mu" in tail
    assert "bin/mcc -MD" not in tail, "commands are long"
    log = re.search(r"log: (\S+\.log)\)", tail)
    assert log and "bin/mcc -MD" in (project.root / log[1]).read_text(), "the failing command"
    assert "use of undeclared identifier 'undeclared_name'" in tail
    assert outcome.output.rstrip().endswith("error generated when compiling for mp_22.")


def test_each_failed_file_shows_its_cause_in_few_lines(project: Project) -> None:
    """Three of four files fail, each with hundreds of notes on a library's templates."""
    project.write("lib/include/deep.h", HEADER)
    project.write("csrc/first.cpp", SOURCE)
    project.write("csrc/second.cpp", f"#include <Python.h>\n{SOURCE}")
    project.write("csrc/third.mu", SOURCE)
    names = ["csrc/bindings.cpp", "csrc/first.cpp", "csrc/second.cpp", "csrc/third.mu"]
    flags = '{"cxx": ["-isystem", "lib/include"], "mcc": ["-isystem", "lib/include"]}'
    project.configure(
        extensions=f'MUSAExtension("demo", {names}, include_dirs=["include"], extra_compile_args={flags})'
    )
    outcome = project.build(MAX_JOBS="4")
    _, tail = re.split(
        r"error: 3 steps failed, the first: demo: \S+ csrc/\w+.*: no .*\[MB401\]\n  see: .*\n", outcome.output
    )
    blocks = [block.strip() for block in tail.split("\n\n") if block.strip()]
    assert len(blocks) == 3 and len(tail.splitlines()) < 45, tail
    for block in blocks:
        found = re.match(r"demo: \S+ (\S+) \(.*log: (\S+)\)\n", block)
        assert found and f"{found[1]}:" in block and block.count("error: ") == 1, block
        assert re.search(r"and (1 warning, )?\d+ notes$", block), block
        whole = (project.root / found[2]).read_text()
        assert whole.count("note: ") > OVERLOADS and f" {found[1]} " in whole.splitlines()[0], "its command comes first"
    verbose = project.build(MUSA_BUILD_VERBOSE="1")
    assert verbose.output.count("note: ") > OVERLOADS and "-c csrc/first.cpp" in verbose.output
    project.write("lib/include/deep.h", HEADER.replace("pick(t, 1)", "1"))
    _, first, linked = re.split(
        r"(error: 1 step failed.*)\n  see:    musa-build explain MB401\n", project.build().output
    )
    assert re.search(r"failed: demo: link demo\S*: multiple definition of `\w+\(\)' \[MB401\]$", first), first
    assert "demo: link demo" in linked and "multiple definition of `run()'" in linked
    (log,) = project.root.rglob("*.log")
    assert log.name.endswith(".so.log"), "no log of what was repaired"
    project.configure()
    project.built()
    assert not list(project.root.rglob("*.log"))


@pytest.mark.slow
def test_a_compile_error_under_pip(project: Project, tmp_path: Path) -> None:
    project.write("csrc/kernel.mu", KERNEL.replace("values[i] = factor", "values[i] = undeclared_name"))
    install = ("-m", "pip", "install", "--no-build-isolation", "--no-deps", "--no-index", "--target")
    outcome = project.run(*install, str(tmp_path / "site"), ".")
    assert outcome.returncode != 0 and "Traceback" not in outcome.output
    compiler = outcome.output.rindex("error generated when compiling for mp_22.")
    after = outcome.output[compiler:].splitlines()[1:]
    framing = ("[end of output]", "note:", "pip", "ERROR", "ailed to build", "demo-project", "╰─>", "hint")
    framing += ("failed-wheel-build-for-install",)  # pip 25 and newer
    framing += ("legacy-install-failure", "error while trying to install package")  # pip 23.0, which tries it twice
    assert all(not line.strip() or any(word in line for word in framing) for line in after), outcome.output


def test_the_same_without_ninja(project: Project) -> None:
    project.write("csrc/kernel.mu", KERNEL.replace("values[i] = factor", "values[i] = undeclared_name"))
    project.configure(command="BuildExtension.with_options(use_ninja=False)")
    outcome = project.build()
    assert outcome.returncode == 1 and "Traceback" not in outcome.output
    assert "bin/mcc -MD" not in outcome.output and re.search(r"log: \S+kernel\.mu\.o\.log\)", outcome.output)
    assert outcome.output.rstrip().endswith("error generated when compiling for mp_22.")


def test_an_optional_extension_may_fail(project: Project) -> None:
    project.write("csrc/broken.cpp", "#error broken on purpose\n")
    demo = 'MUSAExtension("demo", ["csrc/bindings.cpp", "csrc/kernel.mu"], include_dirs=["include"])'
    broken = 'MUSAExtension("broken", ["csrc/broken.cpp"], optional=True)'
    missing = 'MUSAExtension("missing", ["csrc/missing.cpp"], optional=True)'
    project.configure(extensions=f"{broken}, {missing}, {demo}")
    left = project.root / f"missing{sysconfig.get_config_var('EXT_SUFFIX')}"
    left.touch()
    outcome = project.built()
    assert not left.exists(), "the result of an earlier build is not left there"
    assert 'building extension "missing" failed' in outcome.output
    assert "an optional extension was not built" in outcome.output and "broken on purpose" in outcome.output
    assert project.load().flags()[0] == 1


def test_an_optional_extension_that_fails_now_is_not_delivered_as_it_was(project: Project) -> None:
    project.write("csrc/extra.cpp", "int extra = 1;\n")
    extra = 'MUSAExtension("extra", ["csrc/extra.cpp"], optional=True)'
    other = 'MUSAExtension("other", ["csrc/other.cpp"], optional=True)'
    project.write("csrc/other.cpp", "int other = 1;\n")
    project.configure(extensions=f"{extra}, {other}")
    project.built()
    assert {path.name.split(".")[0] for path in project.root.glob("*.so")} == {"extra", "other"}
    for path in project.root.glob("*.so"):
        path.unlink()
    project.write("csrc/extra.cpp", "#error broken on purpose\n")
    outcome = project.built()
    assert outcome.output.count("an optional extension was not built") == 1 and "broken on purpose" in outcome.output
    assert [path.name.split(".")[0] for path in project.root.glob("*.so")] == ["other"]


def test_a_killed_compiler_hints_at_memory(project: Project, tmp_path: Path) -> None:
    killer = tmp_path / "killer"
    killer.write_text('#!/bin/sh\ncase "$1" in --version|-dump*) exec g++ "$@";; esac\nkill -KILL $$\n')
    killer.chmod(0o755)
    outcome = project.build(CXX=str(killer))
    assert "set MAX_JOBS to a smaller number" in outcome.output and "Traceback" not in outcome.output


def test_no_sdk(project: Project, tmp_path: Path) -> None:
    path = bin_with(tmp_path / "bin", "g++", "c++", "ninja")
    outcome = project.build(MUSA_HOME=None, PATH=path)
    if Path("/usr/local/musa").exists():
        pytest.skip("this machine has an SDK in the default path")
    assert "there is no MUSA SDK here" in sentence(outcome) and "MUSA_BUILD_SIMULATOR=1" in sentence(outcome)


def test_a_wrong_sdk(project: Project, tmp_path: Path) -> None:
    text = sentence(project.build(MUSA_HOME=str(tmp_path)))
    assert "MUSA_HOME does not point to a MUSA SDK" in text and f"{tmp_path}/bin/mcc" in text


def test_no_sdk_is_needed_to_make_a_source_distribution(project: Project, tmp_path: Path) -> None:
    outcome = project.run("setup.py", "--quiet", "sdist", MUSA_HOME=None, PATH=bin_with(tmp_path / "bin"))
    assert outcome.returncode == 0, outcome.output
    assert list((project.root / "dist").glob("*.tar.gz"))


def test_no_cxx(project: Project, tmp_path: Path) -> None:
    text = sentence(project.build(PATH=bin_with(tmp_path / "bin", "ninja")))
    assert "the build needs a C++ compiler" in text and "apt install g++" in text


def test_no_ninja(project: Project, tmp_path: Path) -> None:
    """Neither on PATH nor beside this Python, though pip lists it: its files are gone."""
    project.configure(prelude="import sys; sys.modules['ninja'] = None")
    text = sentence(project.build(PATH=bin_with(tmp_path / "bin", "g++", "c++")))
    assert "the build needs ninja" in text and "pip install --force-reinstall --no-deps ninja, or" in text


ISOLATED = "pip-build-env-x1y2z3w4/overlay/lib"


@pytest.mark.parametrize(("folder", "hint"), [("", "install PyTorch"), (ISOLATED, "--no-build-isolation")])
def test_no_torch(project: Project, tmp_path: Path, folder: str, hint: str) -> None:
    project.configure(prelude=f"import sys; sys.path.append({str(tmp_path / folder)!r})")
    setup = (project.root / "setup.py").read_text()
    project.write("setup.py", f"import sys; sys.modules['torch'] = None\n{setup}")
    assert project.run("setup.py", "--quiet", "egg_info").returncode == 0, "metadata needs no torch"
    text = sentence(project.run("setup.py", "build_ext", "--inplace"))
    assert "PyTorch cannot be imported" in text and hint in text


@pytest.mark.slow
def test_a_torch_that_cannot_load_its_device(project: Project, tmp_path: Path) -> None:
    """As when torch_musa was built against another SDK: torch's own text, and how to build all the same."""
    metadata = tmp_path / "site" / "broken_device-1.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-device\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text("[torch.backends]\nbroken = broken_device:load\n")
    folders = [str(tmp_path / "site"), *filter(None, [project.environment.get("PYTHONPATH")])]
    environment = {"PYTHONPATH": ":".join(folders), "TORCH_DEVICE_BACKEND_AUTOLOAD": "1"}
    text = sentence(project.run("setup.py", "build_ext", "--inplace", **environment))
    assert "Failed to load the backend extension: broken" in text and "TORCH_DEVICE_BACKEND_AUTOLOAD=0" in text


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ('extra_compile_args={"mmc": []}', ("unknown key", "mmc", "did you mean mcc?")),
        ('extra_compile_args={"cxx": "-O2"}', ("extra_compile_args['cxx'] is not a list", "'-O2'")),
        ('libraries="cublas"', ("demo: libraries is not a list", "'cublas'", "write libraries=['cublas']")),
        ('define_macros=["NDEBUG"]', ("demo: define_macros must be a list", "'NDEBUG'", "[('NDEBUG', None)]")),
        ('force_mcc="csrc/*.cxx"', ("force_mcc of demo matches no source", "csrc/*.cxx")),
        ('arch="99"', ("unknown MUSA architecture", "99", "22")),
        ('extra_compile_args=["-DX=a\\nb"]', ("contains a line break",)),
        (
            'extra_compile_args={"nvcc": ["--default-stream", "mine"]}',
            ("demo: nvcc's flag --default-stream mine cannot be used for MUSA", "legacy, null, per-thread"),
        ),
    ],
)
def test_mistakes_in_setup_py(project: Project, options: str, parts: tuple[str, ...]) -> None:
    project.configure(options)
    text = sentence(project.build())
    assert all(part in text for part in parts), text


def test_mistakes_in_the_environment(project: Project) -> None:
    assert "MAX_JOBS is not a number of jobs; found: 'many'" in sentence(project.build(MAX_JOBS="many"))
    text = sentence(project.build(TORCH_MUSA_ARCH_LIST="22;sm_80"))
    assert "TORCH_MUSA_ARCH_LIST names an unknown MUSA architecture; found: sm_80" in text


def test_another_mcc_that_is_not_there(project: Project) -> None:
    text = sentence(project.build(PYTORCH_MCC="no-such-mcc -v"))
    assert "PYTORCH_MCC names no program; found: no-such-mcc" in text


def test_a_missing_source_names_the_nearest(project: Project) -> None:
    project.configure(extensions='MUSAExtension("demo", ["csrc/kernle.mu"])')
    text = sentence(project.build())
    assert "csrc/kernle.mu" in text and "did you mean csrc/kernel.mu?" in text


def test_doctor(project: Project, tmp_path: Path) -> None:
    second = tmp_path / "second"
    (second / "bin").mkdir(parents=True)
    (second / "bin" / "mcc").touch()
    good = project.run("-m", "musa_build", "doctor", MUSA_PATH=str(second))
    assert good.returncode == 0, good.output
    assert "ok      MUSA SDK: simulated MUSA SDK" in good.output and f"({sys.executable})" in good.output
    (another,) = (line for line in good.output.splitlines() if "another MUSA SDK" in line)
    assert str(second) in another


@pytest.mark.slow
def test_doctor_for_programs(project: Project) -> None:
    found = json.loads(project.run("-m", "musa_build", "doctor", "--json").output)
    assert {"name", "ok", "text", "required"} == set(found[0])
    assert all(one["ok"] for one in found if one["required"])


@pytest.mark.slow
def test_doctor_of_a_mistaken_project(project: Project) -> None:
    project.write("pyproject.toml", "[tool.musa-build]\nnonsense = 1\n")
    mistaken = project.run("-m", "musa_build", "doctor")
    assert mistaken.returncode == 1 and "nonsense" in mistaken.output and "ok      ninja" in mistaken.output


@pytest.mark.slow
def test_doctor_without_an_sdk(project: Project, tmp_path: Path) -> None:
    bad = project.run("-m", "musa_build", "doctor", MUSA_HOME=str(tmp_path))
    assert bad.returncode == 1 and "MISSING MUSA SDK: MUSA_HOME does not point to a MUSA SDK" in bad.output


@pytest.mark.slow
def test_doctor_refuses_what_a_build_refuses(project: Project, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\necho broken >&2\nexit 3\n")
    broken.chmod(0o755)
    environment = {"PYTORCH_MCC": "/nowhere/mcc", "CXX": str(broken), "MUSA_BUILD_MCC_JOBS": "many"}
    # As on a machine without python3-dev, and with a setuptools from before its errors had names.
    program = (
        "import importlib.metadata, sysconfig\n"
        f"sysconfig.get_path = lambda name: {str(tmp_path)!r}\n"
        "importlib.metadata.version = lambda name: '58.0'\n"
        "from musa_build.cli.doctor import examine\n"
        "import json\n"
        "print(json.dumps({each.name: [each.ok, each.text] for each in examine()}))\n"
    )
    found = json.loads(project.run("-c", program, **environment).output)
    parts = {
        "mcc": "PYTORCH_MCC names no program; found: /nowhere/mcc",
        "C++ compiler": f"{broken} does not run; found: broken",
        "jobs": "MUSA_BUILD_MCC_JOBS is not a number of jobs",
        "Python.h": f"no {tmp_path}/Python.h",
        "setuptools": "setuptools is too old; found: 58.0",
    }
    for name, text in parts.items():
        assert found[name][0] is False and text in found[name][1], found[name]


def test_env_can_be_read_by_a_shell(project: Project) -> None:
    import subprocess

    exports = project.run("-m", "musa_build", "env").output
    shell = subprocess.run(
        ["/bin/sh", "-c", f"{exports}\ncommand -v mcc"], capture_output=True, text=True, check=True, env={}
    )
    assert shell.stdout.strip() == f"{project.environment['MUSA_HOME']}/bin/mcc"
