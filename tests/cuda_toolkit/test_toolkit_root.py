"""The folder of a toolkit."""

from __future__ import annotations

import ast
import threading
from pathlib import Path

import pytest

import musa_build
from musa_build.cli import doctor
from musa_build.cuda_toolkit.root import _NVCC_CODE, toolkit_root
from musa_build.environment.sdk import MusaSdk
from musa_build.system.process import locked


def test_a_toolkit_that_is_there_does_not_wait(toolkit: Path, sdk: MusaSdk) -> None:
    """Another one may be written meanwhile, which takes seconds."""
    found: list[Path] = []
    with locked(toolkit.parent / ".lock"):
        asking = threading.Thread(target=lambda: found.append(toolkit_root(sdk)), daemon=True)
        asking.start()
        asking.join(60)
        assert found == [toolkit]


def test_doctor_writes_no_toolkit(sdk: MusaSdk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    finding = doctor._cuda_toolkit(sdk)
    assert finding.ok and finding.text.startswith("not written yet") and not [*tmp_path.iterdir()]


def test_the_copy_of_nvccs_code_has_all_that_it_imports() -> None:
    package = Path(musa_build.__file__).parent
    copied = {path for pattern in _NVCC_CODE for path in package.glob(pattern) if path.suffix == ".py"}
    missing = set()
    for path in (path for path in copied if path.name != "__init__.py"):  # packages import when they are asked
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level:
                folder = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
                modules = [folder.with_suffix(".py"), folder / "__init__.py"]
                if not copied.intersection(modules) and any(module.is_file() for module in modules):
                    missing.add(f"{path.relative_to(package)} imports {folder.relative_to(package)}")
    assert not missing
