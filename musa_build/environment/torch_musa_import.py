"""Whether torch_musa can be imported beside the installed torch, and if not, why. A process of its own tries it."""

from __future__ import annotations

import json
import re
import signal
import sys
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..system import process
from .torch_info import without_advice

# torch's own loading of devices is off: it would report a failure as one of torch's.
_PROGRAM = """
import json, sys, warnings
noted = []
def say(**facts):
    print("musa-build " + json.dumps(facts), flush=True)
def chain(error):
    while error is not None:
        yield f"{type(error).__name__}: {' '.join(map(str, error.args)) or error}"
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
warnings.showwarning = lambda message, *others, **named: noted.append(str(message))
try:
    import torch
    say(torch=str(torch.__version__))
    import torch_musa
except BaseException as error:
    say(errors=list(chain(error)))
else:
    say(torch_musa=str(getattr(torch_musa, "__version__", "")), warnings=[text for text in noted if "torch" in text])
"""
_SECONDS = 120
OF_THE_DRIVER = "libmusa.so belongs to the driver: install it, or start the container with the machine's cards"
_PYTHON_TAG = re.compile(r"\.(cpython-\d+)[\w-]*\.so$")
_UNDEFINED = re.compile(r"(\S+): undefined symbol: (\w+)")
_NOT_FOUND = re.compile(r"(\S+): cannot open shared object file")
_SYMBOL_VERSION = re.compile(r"version [`'](\w+)_[\d.]+' not found")


@dataclass(frozen=True)
class ImportOfTorchMusa:
    """The outcome of one import.

    Attributes:
        torch: The version of torch; "" if torch itself cannot be imported.
        torch_musa: The version of torch_musa; "" if it does not say, or if it cannot be imported.
        errors: The error and its causes, each as type and text; empty if the import worked.
        warnings: What torch_musa warns of, such as another torch than its own.
    """

    torch: str = ""
    torch_musa: str = ""
    errors: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @classmethod
    def tried(cls) -> ImportOfTorchMusa:
        """Import torch and torch_musa in a new process."""
        done = process.run(
            [sys.executable, "-c", _PROGRAM],
            extra_environment={"TORCH_DEVICE_BACKEND_AUTOLOAD": "0"},
            timeout=_SECONDS,
        )
        return cls.read(done.returncode, done.stdout)

    @classmethod
    def read(cls, returncode: int, output: str) -> ImportOfTorchMusa:
        """Read the output of the process that imported, and how it ended."""
        facts: dict[str, object] = {}
        for line in output.splitlines():
            if line.startswith("musa-build "):
                facts.update(json.loads(line.partition(" ")[2]))
        errors, warnings = (facts.get(name, ()) for name in ("errors", "warnings"))
        assert isinstance(errors, (list, tuple)) and isinstance(warnings, (list, tuple))
        ended = errors or (_endings(returncode) if "torch_musa" not in facts or returncode else ())
        return cls(str(facts.get("torch", "")), str(facts.get("torch_musa", "")), tuple(ended), tuple(warnings))

    @property
    def works(self) -> bool:
        return not self.errors

    @property
    def found(self) -> str:
        """The causes in one line, the first cause last, without the advice in them."""
        return without_advice("; ".join(dict.fromkeys(self.errors)))[0]

    @property
    def advice(self) -> str:
        """The command in an error of the simulator's torch_musa; "" if there is none."""
        return without_advice("; ".join(self.errors))[1]


def hint(outcome: ImportOfTorchMusa, root: Path, sdk_libraries: Sequence[Path]) -> str:
    """Return the cure for an import that failed; "" if the causes say nothing that is known.

    Args:
        outcome: The import.
        root: The folder of torch_musa.
        sdk_libraries: The folders of the SDK's libraries.
    """
    if outcome.advice:
        return outcome.advice
    text = outcome.found
    tags = sorted({match[1] for path in root.glob("*.so") for match in [_PYTHON_TAG.search(path.name)] if match})
    own = _PYTHON_TAG.search(f"x{sysconfig.get_config_var('EXT_SUFFIX')}")
    if tags and own and own[1] not in tags and not any(root.glob("*.abi3.so")):
        return f"it was compiled for {', '.join(tags)}, and this Python is {own[1]}: install its wheel for this Python"
    undefined = _UNDEFINED.search(text)
    if undefined and _is_below(undefined[1], root):
        return f"it was compiled for another torch than {outcome.torch}: install the torch that its release names"
    if undefined:
        return f"{Path(undefined[1]).name} and what it is linked to are of different releases: SDK and driver must fit"
    lost = _NOT_FOUND.search(text)
    if lost and lost[1].startswith("libmusa.so"):
        return OF_THE_DRIVER
    if lost:
        folders = ":".join(map(str, sdk_libraries)) or "the folder of the SDK's libraries"
        return f"the loader does not find {lost[1]}: add {folders} to LD_LIBRARY_PATH"
    if _SYMBOL_VERSION.search(text):
        return "a library of this environment is older than the one that it was compiled with: update libstdc++ (conda)"
    if "torch version" in text:
        return "install the torch that it names, or the torch_musa for this torch"
    return ""


def _is_below(path: str, root: Path) -> bool:
    return root.resolve() in Path(path).resolve().parents


def _endings(returncode: int) -> tuple[str, ...]:
    if returncode == 124:
        return (f"no answer within {_SECONDS} s",)
    if returncode < 0:
        return (f"the import was ended by {signal.Signals(-returncode).name}",)
    return ("the import ended the process",)
