"""FORCE_MUSA=1 changes modules of other packages, and can undo all of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from musa_build.force_musa.patches import Patches


class Owner:
    value = 1


def test_the_last_replacement_is_undone_first() -> None:
    patches, variables = Patches(), {"SET": "old"}
    patches.replace(Owner, "value", 2)
    patches.replace(Owner, "value", 3)
    patches.replace_item(variables, "SET", "new")
    patches.replace_item(variables, "MISSING", "new")
    assert Owner.value == 3 and variables == {"SET": "new", "MISSING": "new"}
    patches.undo()
    assert Owner.value == 1 and variables == {"SET": "old"}
    Owner.value = 4
    patches.undo()
    assert Owner.value == 4
    Owner.value = 1


#: Installs and uninstalls the hook, in a program or, by its name, in a build; shows the state in between and after.
SCRIPT = """
import os, sys, urllib.request
import setuptools
ASKED = ("CUDAExtension", "BuildExtension", "load", "load_inline", "CUDA_HOME")

def state():
    import torch
    from torch.utils import cpp_extension as tools
    attributes = [getattr(tools, name) for name in ASKED]
    attributes += [setuptools.Distribution.run_command, urllib.request.urlopen, urllib.request.urlretrieve]
    attributes += [torch.version.cuda, torch.cuda.is_available(), torch.backends.cuda.is_built(), torch.has_cuda]
    attributes += [torch.cuda.device_count()]
    return [attributes, dict(os.environ), finders(), load]

def finders():
    # torch_musa, which PyTorch imports, has one of its own: it watches for PyTorch's compiler.
    return [finder for finder in sys.meta_path if not type(finder).__module__.startswith("torch_musa.")]

first = os.environ.pop("FORCE_MUSA")
load = None
if EARLY:
    from torch.utils.cpp_extension import load
    before = state()
os.environ["FORCE_MUSA"] = first
with_switch = dict(os.environ)
from musa_build.force_musa import import_hook
finders_before = finders()
import_hook.install()
import_hook.install()
during = state()
import_hook.uninstall()
import_hook.uninstall()
after = state()
if not EARLY:
    # What PyTorch has when it is imported without the hook.
    for name in [name for name in sys.modules if name == "torch.utils.cpp_extension"]:
        original = [getattr(sys.modules[name], asked).__module__ for asked in ASKED[:-1]]
    assert original == ["torch.utils.cpp_extension"] * 4, original
    assert after[0][4] is None and after[0][8:] == [None, False, False, False, 0], after[0]
else:
    assert after[0] == before[0] and after[3] is before[3], after
    assert during[3] is not before[3]
assert after[1] == with_switch, set(after[1].items()) ^ set(with_switch.items())
assert after[2] == finders_before
print(during[0][0].__module__, during[0][4] is not None, during[0][8:], during[0][5] is not after[0][5])
"""


@pytest.mark.parametrize(
    ("name", "early", "seen"),
    [
        pytest.param("program.py", True, "False [None, False, False, False, 0] False", marks=pytest.mark.slow),
        ("program.py", False, "False [None, False, False, False, 0] False"),
        (
            "setup.py",
            True,
            "False [None, False, False, False, 0] True",
        ),  # PyTorch was there before: only the classes are ours
        ("setup.py", False, "True ['12.4', True, True, True, 1] True"),
    ],
)
def test_all_changes_are_undone(tmp_path: Path, name: str, early: bool, seen: str, hook: Path) -> None:
    script = tmp_path / "script"  # not setup.py: it names musa_build
    script.write_text(SCRIPT.replace("EARLY", str(early)))
    environment = {"PATH": "/usr/bin:/bin", "FORCE_MUSA": "true", "MUSA_BUILD_FORCE_LEVEL": "4"}
    # -S: the installed start-up line does not come first.
    code = f"import sys; sys.path += {[path for path in sys.path if path]!r}; sys.argv = [{name!r}]\n"
    code += f"exec(compile(open({str(script)!r}).read(), {name!r}, 'exec'))"
    command = [sys.executable, "-S", "-c", code]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == f"musa_build.force_musa.build_ext {seen}"
