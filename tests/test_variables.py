"""Environment variables: docs/variables.md lists them all, and every switch has the same words for yes and no."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import musa_build.system.switch
import musa_tools.switch
from musa_build.environment.settings import DECLARED, Setting, Settings
from musa_build.errors import SettingError

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/variables.md"
YES = ("1", "yes", "true", "on", "y", "YES", "On", "True")
NO = ("", "0", "no", "false", "off", "n", "NO", "Off", "False")
NEITHER = ("2", "maybe", "enable", "ja", "-1", "01")

#: variables of other programs, which they describe
OTHERS = {
    *("PATH", "LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONHASHSEED", "XDG_CACHE_HOME", "HOME", "RANK", "CUDA_HOME"),
    *("TORCH_DEVICE_BACKEND_AUTOLOAD", "PIP_NO_BINARY", "WORLD_SIZE", "LOCAL_RANK", "NVCC_PREPEND_FLAGS", "TMPDIR"),
    *("COLUMNS", "NO_COLOR", "TERM"),
}
#: files that hand on variables of others by name
HAND_ON = {
    "musa_build/force_musa/import_hook.py",  # set_variable
    "tools/musa_tools/convert/environment.py",  # CUDA's variables under MUSA's names
}


def rows() -> dict[str, str]:
    """Variable -> the column with its values."""
    found: dict[str, str] = {}
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("| `"):
            names, values, *_ = (cell.strip() for cell in line.strip("|").split(" | "))
            for name in re.findall(r"`(\w+)`", names):
                assert name not in found, name
                found[name] = values
    return found


ROWS = rows()
SWITCHES = sorted(name for name, values in ROWS.items() if values.startswith("switch"))
_FOLDERS = ("simulator", "tools", "backend")
_SUFFIXES = {".py", ".cpp", ".h", ".muh", ".mu", ".cmake", ".pth", ".sh", ".txt"}


def sources() -> Iterator[tuple[str, str]]:
    """The product's files with their texts. An sdist is no checkout, so git is not asked."""
    paths = [path for pattern in ("musa_build*", *_FOLDERS) for path in ROOT.glob(pattern)]
    for path in sorted(each for top in paths for each in (top.rglob("*") if top.is_dir() else [top])):
        name = path.relative_to(ROOT).as_posix()
        written = "/build/" not in name and "verify/programs" not in name and path.suffix in _SUFFIXES
        if written and path.is_file():
            yield name, path.read_text(encoding="utf-8", errors="replace")


_READ = re.compile(
    r"""\b(?: (?:getenv\(|environ\.(?:get|pop|setdefault)\(|environ\[)
            \s* (?: "(?P<text>[^"$]+)" | (?P<name>[A-Z_]+|k[A-Z]\w+)\b )
        | (?:environment|flag|number|bytes)\(\s* "(?P<cxx>\w+)" | ENV\{(?P<cmake>\w+)\} )""",
    re.X,
)
_CONSTANT = r"""\b{name}\b[^=\n]*=\s*(?:std::string_view|)\s*[{{(]?\s*["'](\w+)["']"""


def reads() -> Iterator[tuple[str, str]]:
    """The variables that are read, each with the file."""
    for file, text in sources():
        for found in _READ.finditer(text):
            literal = found["text"] or found["cxx"] or found["cmake"]
            if literal is None:
                constant = re.search(_CONSTANT.format(name=found["name"]), text)
                literal = constant[1] if constant else f"<{found['name']}>"
            yield literal, file
    for setting in DECLARED:
        for variable in setting.variables:
            yield variable, "musa_build/environment/settings.py"


def test_every_variable_that_is_read_is_listed() -> None:
    unknown = sorted(
        {
            f"{file}: {name}"
            for name, file in reads()
            if name not in ROWS and name not in OTHERS and file not in HAND_ON and re.fullmatch("<?[A-Z_0-9]+>?", name)
        }
    )
    assert not unknown


def test_every_listed_variable_is_read_somewhere() -> None:
    texts = "\n".join(text for _, text in sources())
    assert not [name for name in ROWS if not re.search(rf"\b{name}\b", texts)]
    assert {name for name, _ in reads()} >= {"MUSA_SIM_FIBERS", "FORCE_MUSA", "MUSA_FALLBACK", "MUSA_BUILD_SIMULATOR"}


@pytest.mark.parametrize("is_on", [musa_build.system.switch.is_on, musa_tools.switch.is_on], ids=["build", "tools"])
def test_the_words_of_a_switch(is_on: Callable[[str], bool]) -> None:
    assert [is_on(word) for word in (*YES, " on ", *NO)] == [True] * (len(YES) + 1) + [False] * len(NO)
    for word in NEITHER:
        with pytest.raises(ValueError, match=f"'{word}' is neither yes nor no"):
            is_on(word)


@pytest.mark.parametrize(
    "setting", [each for each in DECLARED if each.variables[0] in SWITCHES], ids=lambda each: str(each.key)
)
def test_settings_of_builds(setting: Setting) -> None:
    variable = setting.variables[0]
    assert all(Settings({variable: word}, {}).flag(setting) for word in YES)
    assert not any(Settings({variable: word}, {}).flag(setting) for word in NO if word)
    for word in NEITHER:
        with pytest.raises(SettingError, match=f"{variable} is a switch.*{word}"):
            Settings({variable: word}, {}).flag(setting)


def python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )


_INSTALLED = {
    "MUSA_TOOLS_ALIASES": "any(type(each).__module__ == 'musa_tools.aliases' for each in sys.meta_path)",
    "MUSA_CUDA_COMPAT": "any(type(each).__module__ == 'musa_tools.compat_at_start' for each in sys.meta_path)",
    "FORCE_MUSA": "any(type(each).__module__ == 'musa_build.force_musa.import_hook' for each in sys.meta_path)",
}


@pytest.mark.parametrize("variable", _INSTALLED)
def test_switches_that_python_reads_when_it_starts(variable: str) -> None:
    code = f"import sys; print({_INSTALLED[variable]})"
    for word in ("1", "on", "Off", "no", "n", ""):
        done = python(code, **{variable: word})
        assert (done.stdout.strip(), done.stderr) == (str(word in YES), ""), word
    if variable != "FORCE_MUSA":  # whose error comes when something is built
        done = python(code, **{variable: "maybe"})
        assert done.stdout.strip() == "False" and variable in done.stderr and "neither yes nor no" in done.stderr


_DEVICES = """
import ctypes, sys
runtime = ctypes.CDLL(sys.argv[1])
count = ctypes.c_int(-1)
print(runtime.musaGetDeviceCount(ctypes.byref(count)), count.value)
"""
_RUNTIME_SWITCHES = [name for name in SWITCHES if name.startswith(("MUSA_SIM_", "MUSA_LAUNCH")) and "MCCL" not in name]


@pytest.mark.parametrize("variable", _RUNTIME_SWITCHES)
def test_switches_of_the_runtime(sim_sdk_root: Path, variable: str) -> None:
    for words, expected in ((YES[:5] + NO[:6], ("0 1", "")), (NEITHER[:2], None)):
        for word in words:
            done = subprocess.run(
                [sys.executable, "-c", _DEVICES, sim_sdk_root / "lib/libmusart.so"],
                env={**os.environ, variable: word},
                capture_output=True,
                text=True,
                check=True,
            )
            if expected:
                assert (done.stdout.strip(), done.stderr) == expected, word
            else:
                assert f"{variable} is '{word}'; wanted: 1, yes" in done.stderr and done.stdout.split()[0] != "0"
