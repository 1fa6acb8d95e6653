"""Tensors in files of their own: whole or not there, written at once or by a thread with a bounded queue."""

from __future__ import annotations

import queue
import threading
from pathlib import Path
from typing import Any, Callable, Optional

import torch

from musa_tools.file_names import file_name
from musa_tools.tensors.readable import copy_if_possible
from musa_tools.whole_file import whole_file

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
