"""Hints help on the machine that shows them: none names what only a checkout has, or what is installed already."""

from __future__ import annotations

import importlib.metadata
import json
import re
from pathlib import Path

import pytest
from checkout_names import ROOT, of_a_checkout
from module_texts import messages

from musa_build.system import install_hints

PACKAGES = ("musa_build", "tools/musa_tools", "simulator/musa_sim", "backend/torch_musa")
#: Texts that name what is no file of a checkout, or only for people who have one -> why
ALLOWED = {
    "musa_build/explain/__init__.py": {"docs/": "the beginning of links, which become addresses"},
    "musa_build/explain/documentation.py": {"docs/README.md": "the end of an address"},
    "simulator/musa_sim/sdk_root.py": {"tools/musify-text": "a file of the SDK"},
    "musa_build/verify/probes/end_to_end.py": {"tests/sim/": "the question of a probe that asks for --checkout"},
}
#: Distributions that a literal gives to `pip install`: install_hint composes all other commands
COMMANDS = re.compile(r"pip install (?!-)['\"]?([\w.-]+)")
KNOWN = {
    ".": "the user's project",
    "setuptools": "an older one",
    "numpy": "an import that failed",
    "ziglang": "its import failed",
}


MODULES = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]


def test_no_message_names_what_only_a_checkout_has() -> None:
    found = {}
    for path in MODULES:
        name = path.relative_to(ROOT).as_posix()
        for text in messages(path):
            names = [each for each in of_a_checkout(text) if each not in ALLOWED.get(name, ())]
            if names:
                found[name] = names
    assert found == {}
    assert len(MODULES) > 300


def test_no_translated_text_or_message_of_cmake_names_what_only_a_checkout_has() -> None:
    texts = [*json.loads((ROOT / "musa_build/explain/texts.zh.json").read_text(encoding="utf-8")).values()]
    for folder in ("musa_build/cmake", "simulator/musa_sim/cmake"):
        for path in (ROOT / folder).rglob("*.cmake"):
            texts += re.findall(r"message\([^\n]*", path.read_text(encoding="utf-8"))
    assert [text for text in texts if of_a_checkout(text) or "\u5728\u6e90\u7801\u76ee\u5f55\u4e2d" in text] == []
    assert len(texts) > 100


def test_a_message_that_names_one_is_found(tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text('"""docs/a.md"""\nx = f"run make test in {y}; see docs/a.md or ./tools/x"\n')
    assert [of_a_checkout(text) for text in messages(tmp_path / "module.py")] == [["docs/a.md", "./tools/x"]]
    assert of_a_checkout("`make demo`, then pip install ./simulator/") == ["make demo", "./simulator/"]
    assert of_a_checkout("/opt/docs/x, {}/tests/y and make room for tools") == []


def test_the_allowed_ones_are_still_there() -> None:
    for name, texts in ALLOWED.items():
        said = "\n".join(messages(ROOT / name))
        assert all(text in said for text in texts), name


def test_commands_to_install_are_made_for_the_machine() -> None:
    """A literal command says "already satisfied" where the package is installed but broken."""
    found = {distribution for path in MODULES for text in messages(path) for distribution in COMMANDS.findall(text)}
    assert found == KNOWN.keys()


def test_an_installed_package_is_installed_again() -> None:
    assert importlib.metadata.version("pytest")
    assert install_hints.install_hint("pytest") == "pip install --force-reinstall --no-deps pytest"
    assert install_hints.install_hint("no-such-package", "1.0") == "pip install no-such-package==1.0"


def test_the_simulator_is_installed_from_the_checkout_or_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert install_hints.simulator_hint() == f"pip install {ROOT / 'simulator'}"
    (tmp_path / "my code/simulator").mkdir(parents=True)
    (tmp_path / "my code/simulator/pyproject.toml").touch()
    assert install_hints.simulator_hint(tmp_path / "my code") == f"pip install '{tmp_path}/my code/simulator'"
    versions = {"musa-build": "1.2"}
    monkeypatch.setattr(install_hints, "installed_version", lambda name: versions.get(name, ""))
    assert install_hints.simulator_hint(tmp_path) == "pip install musa-sim==1.2"
    versions["musa-sim"] = "1.2"  # and its folder is gone
    assert install_hints.simulator_hint(tmp_path) == "pip install --force-reinstall --no-deps musa-sim==1.2"
