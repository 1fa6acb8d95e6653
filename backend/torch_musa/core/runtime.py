"""The MUSA runtime's own functions and states, for code that wrote torch.cuda.cudart() and its kin."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from torch_musa import _MUSAC
from torch_musa.core.device import _lazy_init

if TYPE_CHECKING:
    from torch_musa._MUSAC import _musart


class musaStatus:
    """Results of the runtime's functions that programs compare with."""

    SUCCESS = 0
    ERROR_NOT_READY = int(_MUSAC._musart.musaError.errorNotReady)


class MusaError(RuntimeError):
    """A function of the runtime returned something else than success."""

    def __init__(self, code: int) -> None:
        number = int(code)
        super().__init__(f"{_MUSAC._musart.musaGetErrorString(_MUSAC._musart.musaError(number))} ({number})")


def musart() -> type[_musart]:
    """Return the runtime's functions: musaHostRegister, musaStreamCreate, musaMemGetInfo and others.

    They take addresses as integers and return a musaError for `check_error`, as torch.cuda.cudart()'s do.
    """
    _lazy_init()
    return _MUSAC._musart


def check_error(res: int) -> None:
    """Raise MusaError if `res`, which a function of the runtime returned, is not success."""
    if int(res) != int(_MUSAC._musart.musaError.success):
        raise MusaError(res)


def current_blas_handle() -> int:
    """Return the mublasHandle_t of the calling thread, set to its current stream, as an integer."""
    _lazy_init()
    return _MUSAC.current_blas_handle()


def is_current_stream_capturing() -> bool:
    """Return True if the current stream is being captured into a graph."""
    return _MUSAC.is_capturing()


def ipc_collect() -> None:
    """Do nothing: no memory is shared with other processes, so none of it is left behind."""


def _lazy_call(call: Callable[[], object]) -> None:
    """Call it. torch.cuda waits until the device is used for the first time; here generators exist from the start."""
    call()
