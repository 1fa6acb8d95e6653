"""The examples of the docs fit the code: commands and their options, targets of make, names that Python imports."""

from __future__ import annotations

import ast
import importlib
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from musa_build.cli.main import main as musa_build_command
from musa_tools.cli import main as musa_tools_command

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
IN_CHINESE = [ROOT / "README.zh.md", *sorted((ROOT / "docs/zh").glob("*.md"))]
COMMANDS = {"musa-build": musa_build_command, "musa-tools": musa_tools_command}
PLACEHOLDER = re.compile(r"\[[A-Za-z=-]")  # a synopsis, as `musa-build install PKG[==VERSION] [--arch LIST]`
OURS = ("musa_build", "musa_sim", "musa_tools", "torch", "torch_musa")


def blocks(language: str) -> Iterator[tuple[str, str]]:
    """Return the examples in a language, with the names of their pages."""
    for page in PAGES:
        for text in re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), flags=re.S | re.M):
            yield page.name, text


def commands(line: str) -> Iterator[list[str]]:
    """Return the simple commands of a line of the shell."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words: list[str] = []
    for word in lexer:
        if set(word) <= set("&|;()<>"):
            yield words
            words = []
        else:
            words.append(word)
    yield words


def command_lines() -> list[tuple[str, list[str]]]:
    """Return the commands of the docs as words, without variables before them and comments after them."""
    found = []
    for page, text in blocks("sh"):
        for line in text.replace("\\\n", " ").splitlines():
            if PLACEHOLDER.search(line):
                continue
            for words in commands(line):
                while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
                    del words[0]
                if words:
                    found.append((page, words))
    return found


LINES = command_lines()


def parse(command: click.Command, words: list[str]) -> None:
    """Parse arguments as the command does. Raises click.ClickException where it would refuse them; runs nothing."""
    context = command.make_context(words[0], words[1:])
    left = [*context._protected_args, *context.args]
    if isinstance(command, click.Group) and (left or not command.invoke_without_command):
        name, chosen, rest = command.resolve_command(context, left)
        assert name is not None and chosen is not None
        parse(chosen, [name, *rest])


@pytest.mark.parametrize(
    ("page", "words"),
    [pytest.param(page, words, id=f"{page}: {' '.join(words)}") for page, words in LINES if words[0] in COMMANDS],
)
def test_commands_have_these_options(
    page: str, words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for word in words[1:]:  # a path that the example names is there
        if not word.startswith("-") and not Path(word).is_absolute():
            path = tmp_path / word.replace("~", "home")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch() if path.suffix else path.mkdir(exist_ok=True)
    parse(COMMANDS[words[0]], [word.replace("~", "home") for word in words])


def test_wrong_options_would_be_found() -> None:
    with pytest.raises(click.UsageError):
        parse(musa_build_command, ["musa-build", "doctor", "--no-such-option"])


def test_targets_of_make_exist() -> None:
    makefile = (ROOT / "Makefile").read_text()
    targets = [
        (page, word)
        for page, words in LINES
        if words[0] == "make"
        for word in words[1:]
        if re.fullmatch("[a-z-]+", word)
    ]
    assert len(targets) > 5
    for page, target in targets:
        assert re.search(rf"^(?:[\w-]+ )*{target}(?: [\w-]+)*:", makefile, re.M), f"{page}: make {target}"


@pytest.mark.parametrize(("page", "text"), [pytest.param(*block, id=f"{block[0]}") for block in blocks("python")])
def test_python_examples_import_what_exists(page: str, text: str) -> None:
    """Names of torch_musa need its build: they are looked up in its sources."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] in OURS:
            if node.module.split(".")[0] == "torch_musa":
                source = ROOT / "backend" / Path(*node.module.split("."))
                source = source / "__init__.py" if source.is_dir() else source.with_suffix(".py")
                known = source.read_text()
                assert all(re.search(rf"\b{name.name}\b", known) for name in node.names), f"{page}: {node.module}"
                continue
            module = importlib.import_module(node.module)
            for name in node.names:
                assert hasattr(module, name.name), f"{page}: {node.module} has no {name.name}"


def without_packages(text: str) -> list[str]:
    """Return the calls of setup() in an example that make a module inside a package, and take no package along."""
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    named = {
        word.value.value
        for node in calls
        if ast.unparse(node.func).endswith("Extension")
        for word in (*node.keywords, *(ast.keyword("name", first) for first in node.args[:1]))
        if word.arg == "name" and isinstance(word.value, ast.Constant)
    }
    if not any("." in name for name in named):
        return []
    setups = [node for node in calls if ast.unparse(node.func) == "setup"]
    return [
        ast.unparse(node) for node in setups if not {"packages", "py_modules"} & {word.arg for word in node.keywords}
    ]


def setup_scripts() -> Iterator[tuple[str, str]]:
    """Return the texts of the docs that call setup(), in Python and in files that the shell writes."""
    for page in (*PAGES, *IN_CHINESE):
        text = page.read_text(encoding="utf-8")
        examples = re.findall(r"^```python\n(.*?)^```", text, flags=re.S | re.M)
        written = re.findall(r"^cat > setup\.py <<'END'\n(.*?)^END$", text, flags=re.S | re.M)
        yield from ((page.name, example) for example in (*examples, *written) if re.search(r"^setup\(", example, re.M))


def test_a_setup_py_takes_the_package_of_its_module() -> None:
    """Otherwise the wheel has the compiled module and no Python file, and setuptools says nothing."""
    scripts = [*setup_scripts()]
    assert len(scripts) >= 6
    assert [(page, call) for page, text in scripts for call in without_packages(text)] == []
    assert without_packages('setup(ext_modules=[CUDAExtension("my_ops._C", [])])')
    assert not without_packages('setup(ext_modules=[CUDAExtension("my_ops", [])])')


def isolated_builds(text: str) -> list[str]:
    """Return the lines that let pip build the project in the current folder in isolation, where it finds no torch."""
    lines = (line for line in text.splitlines() if re.search(r"\bpip (?:install|wheel)\b.*\s\.(?=[\s\"'`,]|$)", line))
    return [line for line in lines if "--no-build-isolation" not in line and "./simulator" not in line]


def test_projects_are_built_without_isolation() -> None:
    package = ROOT / "musa_build"
    sources = [path for name in ("cli", "explain", "new_project") for path in (package / name).rglob("*")]
    texts = [path for path in sources if path.suffix in (".py", ".md", ".jinja")]
    assert len(texts) > 50
    found = [
        f"{path.name}: {line}"
        for path in (*PAGES, *IN_CHINESE, *texts)
        for line in isolated_builds(path.read_text(encoding="utf-8"))
    ]
    assert found == []
    assert isolated_builds("musa-build sim run -- pip install .") and isolated_builds('"pip wheel -w dist .",')
