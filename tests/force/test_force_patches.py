"""FORCE_MUSA=1 changes modules of other packages, and can undo all of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from musa_build.force_musa.patches import Patches

PROGRAM = Path(__file__).parent / "programs" / "hook_comes_and_goes.py"  # not setup.py: it names musa_build


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
    environment = {"PATH": "/usr/bin:/bin", "FORCE_MUSA": "true", "MUSA_BUILD_FORCE_LEVEL": "4", "EARLY": str(early)}
    # -S: the installed start-up line does not come first.
    code = f"import sys; sys.path += {[path for path in sys.path if path]!r}; sys.argv = [{name!r}]\n"
    code += f"exec(compile(open({str(PROGRAM)!r}).read(), {name!r}, 'exec'))"
    command = [sys.executable, "-S", "-c", code]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == f"musa_build.force_musa.build_ext {seen}"
