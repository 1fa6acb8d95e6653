"""The facts that a second porting depends on: each is changed in turn, and a new run is wanted."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import musa_build
from musa_build.porting.api import inputs_and_outputs, port, session_for, validate_options
from musa_build.porting.engine.rules import rule_set
from musa_build.porting.tree.output import MANIFEST

TABLES = "engine/musa_build/porting/engine/tables"
GUARDS = "engine/musa_build/porting/engine/rewrites.py"


class Workplace:
    """A tree with rules of its own, and a copy of musa_build that ports it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.engine = root / "engine" / "musa_build"
        shutil.copytree(Path(musa_build.__file__).parent, self.engine, ignore=shutil.ignore_patterns("__pycache__"))
        for name, text in {
            "csrc/a.cu": "cudaFree(a); my_word; your_word;\n",
            "csrc/sub/b.cu": '#include "csrc/c.cuh"\n',
            "csrc/c.cuh": "#if CUDA_VERSION >= 12000\n#endif\n// cudaFree\n",
            "mappings/a.json": '{"my_word": "my_first"}',
            "one.rules": "your_word  your_first\n",
        }.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.age()
        self.arguments = ["csrc", "-o", "out", "--mapping-dir-path", "mappings", "--rules", "one.rules"]

    def age(self) -> None:
        """Make everything old enough for its time stamps to be trusted."""
        old = time.time() - 100
        for path in (*self.root.rglob("*"), self.root):
            os.utime(path, (old, old))

    def python(self, *words: str) -> str:
        # -S: what site-packages import at start-up is not ours; -B: no folder of the engine changes by itself
        done = subprocess.run(
            [sys.executable, "-S", "-B", *words],
            env={"PYTHONPATH": str(self.engine.parent)},
            cwd=self.root,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    def port(self) -> str:
        return self.python("-m", "musa_build.porting", *self.arguments)

    def is_remembered(self) -> bool:
        code = "import sys; from musa_build.porting.__main__ import cached_output"
        code += "; print(cached_output(sys.argv[1:]) is not None)"
        return self.python("-c", code, *self.arguments).strip() == "True"

    def ported(self) -> dict[str, str]:
        out = self.root / "out"
        found = (path for path in out.rglob("*") if path.suffix in (".mu", ".muh"))
        return {str(path.relative_to(out)): path.read_text() for path in found}

    def write(self, name: str, text: str) -> None:
        (self.root / name).write_text(text)

    def append(self, name: str, text: str) -> None:
        with (self.root / name).open("a") as stream:
            stream.write(text)


#: Change -> (the kind of fact in inputs_and_outputs(), or "command"; how it changes)
CHANGES: dict[str, tuple[str, Callable[[Workplace], object]]] = {
    "a source is edited": ("sources", lambda w: w.write("csrc/a.cu", "cudaMalloc(a);\n")),
    "a source's mode": ("sources", lambda w: (w.root / "csrc/a.cu").chmod(0o755)),
    "a source is added": ("folders", lambda w: w.write("csrc/sub/new.cu", "")),
    "a source is removed": ("folders", lambda w: (w.root / "csrc/c.cuh").unlink()),
    "a folder is added": ("folders", lambda w: (w.root / "csrc/more").mkdir()),
    "a rule file is edited": ("rules", lambda w: w.write("one.rules", "your_word  your_second\n")),
    "a file of the mapping folder is edited": ("rules", lambda w: w.write("mappings/a.json", '{"my_word": "other"}')),
    "a file is added to the mapping folder": ("rules", lambda w: w.write("mappings/b.json", '{"cudaFree": "free"}')),
    "a table of the engine is edited": ("engine", lambda w: w.append(f"{TABLES}/torch.rules", "\n")),
    "the list of what the simulator lacks is edited": (
        "engine",
        lambda w: w.append(f"{TABLES}/simulator-absent.txt", "cudaMallocX\n"),
    ),
    "the instructions of PTX are edited": (
        "engine",
        lambda w: w.append(f"{TABLES}/ptx-instructions.txt", "\n"),
    ),
    "a table is added to the engine": ("engine", lambda w: w.write(f"{TABLES}/new.rules", "a_b  c\n")),
    "the thresholds of guards are edited": ("engine", lambda w: w.append(GUARDS, "\n")),
    "an output is edited": ("outputs", lambda w: w.write("out/sub/b.mu", "by hand")),
    "an output is removed": ("outputs", lambda w: (w.root / "out/a.mu").unlink()),
    "the manifest is removed": ("outputs", lambda w: (w.root / "out" / MANIFEST).unlink()),
    "an option": ("command", lambda w: w.arguments.append("--comments")),
    "a rule on the command line": ("command", lambda w: w.arguments.extend(["--rule", "a=b"])),
    "the CUDA version": ("command", lambda w: w.arguments.extend(["--emulate-cuda", "12.1"])),
}  # fmt: skip


@pytest.fixture
def workplace(tmp_path: Path) -> Workplace:
    return Workplace(tmp_path)


@pytest.mark.parametrize("change", CHANGES)
def test_each_fact_is_looked_at(workplace: Workplace, change: str) -> None:
    workplace.port()
    assert workplace.is_remembered()
    CHANGES[change][1](workplace)
    assert not workplace.is_remembered()


def test_all_kinds_of_facts_are_changed_above(workplace: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    options = validate_options(workplace.root / "csrc", rule_set())
    kinds = inputs_and_outputs(options, session_for(options), port(options).report and {}).keys()
    assert {kind for kind, _ in CHANGES.values()} == {*kinds, "command"}


#: The same for one file whose stamps do not change: what is in the fingerprint of the manifest.
SAME_FILES: dict[str, tuple[Callable[[Workplace], object], str, str]] = {
    "the engine's tables": (
        lambda w: w.append(f"{TABLES}/torch.rules", "\n[names | test]\nyour_word  by_table\n"),
        "a.mu", "musaFree(a); my_word; by_table;\n",
    ),
    "the engine's code": (
        lambda w: w.append("engine/musa_build/porting/engine/announced_cuda.py", '\nDEFAULT_EMULATED_CUDA = "12.0"\n'),
        "c.muh", "#if 12000 >= 12000\n#endif\n// cudaFree\n",
    ),
    "a rule": (lambda w: w.arguments.extend(["--rule", "my_word=mine"]), "a.mu", "musaFree(a); mine; your_word;\n"),
    "comments": (lambda w: w.arguments.append("--comments"), "c.muh", "#if 12040 >= 12000\n#endif\n// musaFree\n"),
    "the CUDA version": (
        lambda w: w.arguments.extend(["--emulate-cuda", "12.1"]),
        "c.muh", "#if 12010 >= 12000\n#endif\n// cudaFree\n",
    ),
    "no default rules": (
        lambda w: w.arguments.append("--drop-default-mapping"), "a.mu", "cudaFree(a); my_word; your_word;\n",
    ),
    "a header goes": (lambda w: (w.root / "csrc/c.cuh").unlink(), "sub/b.mu", '#include "csrc/c.cuh"\n'),
    "the folder's name": (lambda w: rename(w), "sub/b.mu", '#include "csrc/c.cuh"\n'),
}  # fmt: skip


def rename(workplace: Workplace) -> None:
    (workplace.root / "csrc").rename(workplace.root / "renamed")
    workplace.arguments[0] = "renamed"


@pytest.mark.parametrize("change", SAME_FILES)
def test_unchanged_files_are_ported_again(workplace: Workplace, change: str) -> None:
    workplace.arguments = ["csrc", "-o", "out"]
    workplace.port()
    assert workplace.ported() == {
        "a.mu": "musaFree(a); my_word; your_word;\n",
        "sub/b.mu": '#include "csrc/c.muh"\n',
        "c.muh": "#if 12040 >= 12000\n#endif\n// cudaFree\n",
    }
    make, target, wanted = SAME_FILES[change]
    make(workplace)
    workplace.port()
    assert workplace.ported()[target] == wanted


def test_a_rule_that_was_just_written_is_not_remembered(workplace: Workplace) -> None:
    """It may change again within the same tick of the clock."""
    now = time.time() + 60
    os.utime(workplace.root / "mappings", (now, now))
    workplace.port()
    assert not workplace.is_remembered()
