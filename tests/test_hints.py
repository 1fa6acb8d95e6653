"""Hints help on the machine that shows them: none names what only a checkout has, or what is installed already."""

from __future__ import annotations

import ast
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


def _constant(node: ast.expr) -> str:
    """The text of an expression, with `{}` for what it inserts; "" if it is no text."""
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return str(node.value) if isinstance(node, ast.Constant) else ""


def _said_twice(path: Path) -> list[str]:
    """The errors of a module whose part "found" repeats what went wrong, or contradicts it: "not found; found: x"."""
    bad = []
    for call in (node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)):
        parts = {keyword.arg: keyword.value for keyword in call.keywords}
        what = _constant(call.args[0] if call.args else parts.get("what", ast.Constant("")))
        if not what or "found" not in parts:
            continue
        inner = parts["found"]
        pieces = [inner.body, inner.orelse] if isinstance(inner, ast.IfExp) else [inner]
        founds = [found for found in map(_constant, pieces) if found]
        known = {*re.findall(r"\w+", what.lower()), *_FILLERS}
        if re.search(r"\bfound\b", what) or any(
            found.startswith("neither ") or ("{}" not in found and {*re.findall(r"\w+", found.lower())} <= known)
            for found in founds
        ):
            bad.append(f"{what}; found: {' or '.join(founds)}")
    return bad


_FILLERS = ("a", "an", "the", "no", "none", "it", "is", "not", "of", "here", "there")


def test_what_was_found_is_more_than_what_went_wrong() -> None:
    assert [text for path in MODULES for text in _said_twice(path)] == []


@pytest.mark.parametrize(
    ("error", "is_bad"),
    [
        ('E("no SDK was found", found="MUSA_HOME is not set")', True),
        ('E("the compiler was not found", found=command)', True),
        ('E(f"{x} is native, but there is no card", found="no card")', True),
        ('E("this environment has no pip", found=f"neither pip in {x} nor uv")', True),
        ('E(what="there is no SDK", found="none" if x else "it is a file")', True),
        ('E("there is no SDK", found="MUSA_HOME is not set")', False),
        ('E("torch is not installed", found=f"none in {x}")', False),
    ],
)
def test_an_error_that_says_something_twice_is_named(error: str, is_bad: bool, tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text(error, encoding="utf-8")
    assert bool(_said_twice(tmp_path / "module.py")) == is_bad
