"""Write the files of a dump: tensors in files of their own; an error costs one warning.

A file is whole or not there. It is written at once, or by a thread with a bounded queue. A call that cannot be
described is left out; after a file that cannot be written, nothing more is.
"""

from __future__ import annotations

import queue
import threading
import warnings
from pathlib import Path
from typing import Any, Callable, Optional

import torch

from musa_tools.errors import PrecisionError
from musa_tools.files import file_name, whole_file
from musa_tools.observe.process import unobserved
from musa_tools.tensors.operands import copy_if_possible


class OneWarning:
    """Runs the actions of a dump: an error costs one warning, and leaves the call out."""

    def __init__(self) -> None:
        self._given = False

    def run(self, call: str, action: Callable[..., Any], *args: Any) -> Any:
        """Run an action with the tool's own operators hidden; return its result, or None after an error.

        Args:
            call: The call's name, for the warning.
            action: The action.
            args: Its arguments.
        """
        try:
            with unobserved():
                return action(*args)
        except PrecisionError:  # the user has asked for it
            raise
        except Exception as error:
            if not self._given:
                self._given = True
                text = str(error).strip().partition("\n")[0].rstrip(".")
                warnings.warn(
                    f"cannot dump {call}: {type(error).__name__}: {text}. The run goes on, and so does the dump, "
                    "without this call",
                    RuntimeWarning,
                    stacklevel=2,
                )
            return None


class WriteFailure:
    """Remembers whether writing has failed; after the first failure nothing is written any more.

    Args:
        dump: The name of the dump, for the warning.
    """

    def __init__(self, dump: str) -> None:
        self._dump = dump
        self._lock = threading.Lock()
        self.happened = False

    def report(self, error: OSError) -> None:
        """Warn, once."""
        with self._lock:
            if self.happened:
                return
            self.happened = True
        words = error.strerror or str(error).rstrip(".")
        warnings.warn(
            f"cannot write {self._dump}: {words}. The run goes on, but nothing more is dumped. "
            "Choose another folder, or make room.",
            RuntimeWarning,
            stacklevel=3,
        )

    def guarded(self, action: Callable[..., Any], *args: Any) -> None:
        """Run an action that writes, unless writing has failed before."""
        if self.happened:
            return
        try:
            action(*args)
        except OSError as error:
            self.report(error)


_MOST_WAITING = 64  # tensors

Save = Callable[[Any, Path], None]


def save_pt(tensor: torch.Tensor, path: Path) -> None:
    """Write a tensor as torch.load reads it."""
    with path.open("wb", buffering=0) as file:  # a path, or a buffer, would make a RuntimeError of a full disk
        torch.save(tensor, file)


def save_npy(tensor: torch.Tensor, path: Path) -> None:
    """Write a tensor as numpy.load reads it; types that NumPy lacks become float32."""
    import numpy

    tensor = tensor.resolve_conj().resolve_neg()
    if tensor.dtype == torch.bfloat16 or (tensor.is_floating_point() and tensor.element_size() == 1):
        tensor = tensor.float()
    if tensor.dtype == torch.complex32:
        tensor = tensor.to(torch.complex64)
    with path.open("wb") as file:
        numpy.save(file, tensor.numpy())


class TensorFiles:
    """The folder of a run's tensors.

    Args:
        folder: The folder; it is made with the first tensor.
        save: Writes one tensor to one file.
        failed: Called with the error if a file cannot be written.
        behind: Whether a thread writes; ``finish`` waits for it.
    """

    def __init__(self, folder: Path, save: Save, failed: Callable[[OSError], None], behind: bool = False) -> None:
        self.folder = folder
        self._save = save
        self._failed = failed
        self._behind = behind
        self._made = False
        self._queue: queue.Queue[Optional[tuple[torch.Tensor, Path]]] = queue.Queue(_MOST_WAITING)
        self._thread: Optional[threading.Thread] = None

    def keep(self, tensor: torch.Tensor, name: str) -> Optional[str]:
        """Write a copy of a tensor; return the file's name, or None for a tensor that cannot be copied."""
        copied = copy_if_possible(tensor)
        if copied is None:
            return None
        if not self._made:
            self._made = True
            self._guarded(self._make)
        name = file_name(name)
        path = self.folder / name
        if not self._behind:
            return name if self._guarded(lambda: self._write(copied, path)) else None
        if self._thread is None:
            self._thread = threading.Thread(target=self._serve, name="musa_tools-dump", daemon=True)
            self._thread.start()
        self._queue.put((copied, path))
        return name

    def finish(self) -> None:
        """Wait until all files are written."""
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join()
            self._thread = None

    def _make(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)

    def _serve(self) -> None:
        while True:
            item = self._queue.get()
            if item is None:
                return
            tensor, path = item
            self._guarded(lambda tensor=tensor, path=path: self._write(tensor, path))  # type: ignore[misc]

    def _write(self, tensor: torch.Tensor, path: Path) -> None:
        with whole_file(path) as temporary:
            self._save(tensor, temporary)

    def _guarded(self, action: Callable[[], None]) -> bool:
        try:
            action()
        except OSError as error:
            self._failed(error)
        except (RuntimeError, TypeError):  # PyTorch, or NumPy, does not write this type: the dump continues without it
            return False
        return True
