"""The MUSA runtime's own functions and status codes, for code that uses torch.cuda.cudart() and the like."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from torch_musa import _MUSAC
from torch_musa.core.device import _lazy_init

if TYPE_CHECKING:
    from torch_musa._MUSAC import _musart


class musaStatus:
    """Results of the runtime's functions with which programs compare."""

    SUCCESS = 0
    ERROR_NOT_READY = int(_MUSAC._musart.musaError.errorNotReady)


class MusaError(RuntimeError):
    """A function of the runtime did not return success.

    Args:
        code: The musaError, or its number.
    """

    def __init__(self, code: int) -> None:
        number = int(code)
        super().__init__(f"{_MUSAC._musart.musaGetErrorString(_MUSAC._musart.musaError(number))} ({number})")


def musart() -> type[_musart]:
    """Return the runtime's functions: musaHostRegister, musaStreamCreate, musaMemGetInfo and others.

    They take addresses as integers and sizes in bytes, and return a musaError for `check_error`, as those of
    torch.cuda.cudart() do.
    """
    _lazy_init()
    return _MUSAC._musart


def check_error(res: int) -> None:
    """Raise MusaError if a function of the runtime did not return success.

    Args:
        res: The function's return value.
    """
    if int(res) != int(_MUSAC._musart.musaError.success):
        raise MusaError(res)


def current_blas_handle() -> int:
    """Return the calling thread's mublasHandle_t as an integer. It uses the thread's current stream."""
    _lazy_init()
    return _MUSAC.current_blas_handle()


def current_blaslt_handle() -> int:
    """Return the mublasLtHandle_t of the calling thread as an integer."""
    _lazy_init()
    return _MUSAC.current_blaslt_handle()


def current_solver_handle() -> int:
    """Return the musolverDnHandle_t of the calling thread, set to its current stream, as an integer."""
    _lazy_init()
    return _MUSAC.current_solver_handle()


def is_current_stream_capturing() -> bool:
    """Return whether the current stream is being captured into a graph."""
    return _MUSAC.is_capturing()


def ipc_collect() -> None:
    """Do nothing: no memory is shared with other processes."""


class DeferredMusaCallError(Exception):
    """The error of torch.cuda where a call that it put off fails. Here no call is put off: nothing raises it."""


def _lazy_call(call: Callable[[], object]) -> None:
    """Call a function. torch.cuda delays it until the device is used; here generators exist from the start."""
    call()
