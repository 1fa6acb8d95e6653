"""The examples of a page of the docs: what they are, and the program that runs them in order."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

_FENCE = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"\s+#\s.*")


@dataclass(frozen=True)
class Example:
    """A command of a shell example, or a whole example in another language."""

    language: str
    text: str


@dataclass(frozen=True)
class Page:
    """How the examples of a page are run. Examples are named by how they begin, and each name must fit exactly one."""

    before: str = ""  # commands of the shell that come first: what the reader has already
    python: str = ""  # a file of the scratch folder that comes before the Python examples: the names that they use
    saves: Mapping[str, str] = field(default_factory=dict)  # an example in any language -> the file that it is
    substitutes: Mapping[str, str] = field(default_factory=dict)  # a word of the page -> what a reader would write
    fails: Mapping[str, str] = field(default_factory=dict)  # an example that must stop -> what it says then
    left_out: Mapping[str, str] = field(default_factory=dict)  # an example that does not run here -> why
    after: str = ""  # commands that check what the examples have done
    slow: bool = False  # compiles C++, or starts many processes
    own_environment: bool = False  # installs packages


class TableError(Exception):
    """The table names an example that its page does not have."""


def examples(page: str) -> list[Example]:
    """Return the examples in the text of a page, in its order."""
    found = []
    for language, rest, text in _FENCE.findall(page):
        if language != "sh":
            found.append(Example(language + rest, text))
            continue
        for line in text.replace("\\\n", " ").splitlines():
            command = re.sub(r"\s+", " ", _COMMENT.sub("", f" {line}")).strip()
            if command:
                found.append(Example("sh", command))
    return found


def named(beginning: str, found: Sequence[Example]) -> Example:
    """Return the only example that begins so. Raises TableError if there is none, or more than one text."""
    fitting = [example for example in dict.fromkeys(found) if example.text.startswith(beginning)]
    exact = [example for example in fitting if example.text == beginning]
    if len(fitting) != 1 and len(exact) != 1:
        raise TableError(f"{len(fitting)} examples begin with {beginning!r}; wanted: 1")
    return (exact or fitting)[0]


def _program(parts: Sequence[tuple[str, str]]) -> str:
    """Return a Python program of consecutive examples, each with what it says if it must stop."""
    lines = []
    for text, says in parts:
        if says:
            lines += ["try:", textwrap.indent(text.rstrip(), "    ")]
            lines += ["except Exception as stopped:"]
            lines += [f"    assert {says!r} in f'{{type(stopped).__name__}}: {{stopped}}', stopped"]
            lines += ["else:", f"    raise AssertionError({says!r} + ' was not said')"]
        else:
            lines.append(text)
    return "\n".join(lines) + "\n"


def script(page: Page, found: Sequence[Example]) -> tuple[str, dict[str, str]]:
    """Return the program of the shell that runs a page, and the files that it needs.

    Raises TableError if the table names what the page does not have.
    """
    left_out = [named(beginning, found) for beginning in page.left_out]
    saved = {named(beginning, found): name for beginning, name in page.saves.items()}
    fails = {named(beginning, found): says for beginning, says in page.fails.items()}
    for word in page.substitutes:
        if not any(word in example.text for example in found):
            raise TableError(f"no example has {word!r}")
    files: dict[str, str] = {}
    lines = [page.before]
    python: list[tuple[str, str]] = []

    def end_python() -> None:
        if python:
            name = f"examples_{len(lines)}.py"
            names = f"from {Path(page.python).stem} import *\n" if page.python else ""
            files[name] = names + _program(python)
            lines.append(f"python {name}")
            python.clear()

    for example in found:
        text = example.text
        for word, meaning in page.substitutes.items():
            text = text.replace(word, meaning)
        if example in left_out:
            continue
        if example in saved:
            files[saved[example]] = text
        elif example.language == "python":
            python.append((text, fails.get(example, "")))
        elif example.language == "sh":
            end_python()
            if example in fails:
                lines.append(f"if {{ {text} ; }} > said 2>&1; then echo 'it did not stop: {text}'; exit 1; fi")
                lines.append(f"grep -F -- '{fails[example]}' said")
            else:
                lines.append(f"{{ {text} ; }} || exit")  # a list with && does not end the script by itself
    end_python()
    return "\n".join(["set -euo pipefail", *lines, page.after]) + "\n", files
