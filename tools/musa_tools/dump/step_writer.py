"""The folder of one step and rank: its JSON files, its tensors, and the numbers that are still on the device.

During the run, every call is added to ``dump.jsonl.part`` and handed to the system at once: after ``kill -9`` it
holds all calls up to the last whole line. At the end, dump.json, stack.json and construct.json are made of it. They are
strict JSON, which every reader takes.
"""

from __future__ import annotations

import contextlib
import functools
import json
import math
import os
import shutil
import threading
from pathlib import Path
from typing import Any, BinaryIO, Optional

import torch

from musa_tools.dump.config import DumpConfig
from musa_tools.dump.writing import TensorFiles, WriteFailure, save_pt
from musa_tools.files import whole_file
from musa_tools.observe.process import Stack, is_capturing, unobserved, written
from musa_tools.tensors.statistics import Statistics

_MOST_WAITING = 256  # tensors whose numbers are on a device
_TENSORS = "dump_tensor_data"


class StepWriter:
    """Writes calls in order.

    Args:
        folder: The step's and rank's. Files of an earlier run in it are removed.
        config: For the header of dump.json, and whether a thread writes the tensors.
        failure: Records errors of writing.
    """

    def __init__(self, folder: Path, config: DumpConfig, failure: WriteFailure) -> None:
        self.statistics = Statistics()
        self._failure = failure
        header = {
            "task": config.task,
            "level": config.level,
            "framework": "pytorch",
            "dump_data_dir": str((folder / _TENSORS).absolute()),
        }
        self._store = JsonStore(folder, header)
        self._tensors = TensorFiles(folder / _TENSORS, save_pt, failure.report, config.async_dump)
        failure.guarded(self._clear)
        self._waiting: list[tuple[Any, ...]] = []
        self._lock = threading.RLock()

    def add(self, name: str, entry: Optional[dict[str, Any]], stack: Stack, parent: Optional[str], tree: bool) -> None:
        """Add a call; see JsonStore."""
        with self._lock:
            self._waiting.append((name, entry, stack, parent, tree))
            if self._due():
                self._flush()

    def keep(self, tensor: torch.Tensor, name: str) -> Optional[str]:
        """Write a tensor; return the name of its file."""
        if self._failure.happened:
            return None
        return self._tensors.keep(tensor, f"{name}.pt")

    def finalize(self) -> None:
        """Write everything that is pending."""
        with self._lock:
            self._flush()
            self._tensors.finish()
            self._failure.guarded(self._store.finalize)
            self._store.close()

    def _due(self) -> bool:
        """Return whether to flush: no numbers are on a device, or many."""
        waiting = len(self.statistics)
        return not waiting or (waiting >= _MOST_WAITING and not any(map(is_capturing, self.statistics.kinds())))

    def _clear(self) -> None:
        """Remove the files of an earlier run."""
        self._store.clear()
        if self._tensors.folder.is_dir():
            for path in self._tensors.folder.glob("*.pt"):
                path.unlink()
            with contextlib.suppress(OSError):  # it holds other files
                self._tensors.folder.rmdir()

    def _flush(self) -> None:
        if len(self.statistics):
            with unobserved():
                self.statistics.resolve()
        waiting, self._waiting = self._waiting, []
        for call in waiting:
            self._failure.guarded(self._store.add, *call)


PART = "dump.jsonl.part"
_TAIL = b"\n}}\n"
_BEFORE, _BETWEEN, _AFTER = b'{"name": ', b', "entry": ', b"}\n"  # of a line
_NAMES = ("dump.json", "stack.json", "construct.json", PART)


class JsonStore:
    """The files of one step.

    Args:
        folder: The folder; it is made with the first call.
        header: The keys of dump.json before the calls.
    """

    def __init__(self, folder: Path, header: dict[str, Any]) -> None:
        self.folder = folder
        self._header = header
        self._part: Optional[BinaryIO] = None
        self._stacks: dict[str, Stack] = {}
        self._parents: dict[str, Optional[str]] = {}
        self._lock = threading.Lock()

    def clear(self) -> None:
        """Remove the files of an earlier run."""
        for name in _NAMES:
            (self.folder / name).unlink(missing_ok=True)

    def add(self, name: str, entry: Optional[dict[str, Any]], stack: Stack, parent: Optional[str], tree: bool) -> None:
        """Add a call.

        Args:
            name: Its name, which no other call has.
            entry: Its entry in dump.json; None leaves it out.
            stack: Its call stack.
            parent: The call of the module around it.
            tree: Whether construct.json has it.
        """
        with self._lock:
            part = self._open()
            if stack:
                self._stacks[name] = stack
            if tree:
                self._parents[name] = parent
            if entry is not None:
                part.write(f'{{"name": {encoded(name)}, "entry": {encoded(entry)}}}\n'.encode())

    def finalize(self) -> None:
        """Write the JSON files; the next call of this method adds later calls to them."""
        with self._lock:
            if self._part is None:
                return
            self._close()
            self._write_dump()
            _write(self.folder / "stack.json", {name: _stack_text(stack) for name, stack in self._stacks.items()})
            _write(self.folder / "construct.json", {name: encoded(parent) for name, parent in self._parents.items()})
            (self.folder / PART).unlink()

    def close(self) -> None:
        """Close the file of lines."""
        with self._lock:
            self._close()

    def _close(self) -> None:
        if self._part is not None:
            self._part.close()
            self._part = None

    def _open(self) -> BinaryIO:
        if self._part is None:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._part = (self.folder / PART).open("ab", buffering=0)  # unbuffered: the system has each line at once
        return self._part

    def _write_dump(self) -> None:
        path = self.folder / "dump.json"
        with whole_file(path) as temporary, temporary.open("wb") as file:
            separator = b"\n"
            if path.exists():
                with path.open("rb") as old:
                    shutil.copyfileobj(old, file)
                file.seek(-len(_TAIL), os.SEEK_END)
                file.truncate()
                separator = b",\n" if path.stat().st_size > self._empty_size() else b"\n"
            else:
                file.write(self._head())
            with (self.folder / PART).open("rb") as lines:
                for line in lines:
                    name, _, entry = line.partition(_BETWEEN)
                    file.write(separator + name[len(_BEFORE) :] + b": " + entry[: -len(_AFTER)])
                    separator = b",\n"
            file.write(_TAIL)

    def _head(self) -> bytes:
        return json.dumps({**self._header, "data": {}})[:-2].encode()

    def _empty_size(self) -> int:
        return len(self._head()) + len(_TAIL)


@functools.lru_cache(maxsize=4096)
def _stack_text(stack: Stack) -> str:
    return encoded(written(stack))  # a loop makes the same stacks again in every step


def _write(path: Path, values: dict[str, str]) -> None:
    """Write an object of JSON values, one per line: the encoder's own indentation takes ten times as long."""
    lines = ",\n".join(f"{encoded(key)}: {text}" for key, text in values.items())
    with whole_file(path) as temporary:
        temporary.write_bytes(f"{{\n{lines}\n}}\n".encode())


_encode = json.JSONEncoder(allow_nan=False, check_circular=False).encode  # entries have no cycles


def encoded(value: Any) -> str:
    """Return a value as JSON; NaN and the infinities become ``"NaN"``, ``"Infinity"`` and ``"-Infinity"``."""
    try:
        return _encode(value)
    except ValueError:  # most values are finite, and the encoder finds out faster
        return _encode(_spelled(value))


def _spelled(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, (list, tuple)):
        return [_spelled(each) for each in value]
    if isinstance(value, dict):
        return {key: _spelled(each) for key, each in value.items()}
    return value
