"""torch.backends.mudnn: the switches that programs set. They have an effect where muDNN is used (USE_MUDNN=1) alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Optional

from torch_musa import _MUSAC


class MudnnModule(ModuleType):
    """The module torch.backends.mudnn. Its attribute `allow_tf32` can be set."""

    @property
    def allow_tf32(self) -> bool:
        """Whether float32 products may be rounded to TensorFloat-32. The simulator never rounds them."""
        return _MUSAC._get_allow_tf32()

    @allow_tf32.setter
    def allow_tf32(self, allow: bool) -> None:
        _MUSAC._set_allow_tf32(allow)

    def version(self) -> int:
        """Return MUDNN_VERSION of the SDK that torch_musa was built with."""
        version: int = _MUSAC._mudnn_version()
        return version

    def is_available(self) -> bool:
        """Return whether muDNN computes products, convolutions and softmax: torch_musa was built with USE_MUDNN=1."""
        used: bool = _MUSAC._uses_mudnn()
        return used

    def set_flags(self, _allow_tf32: Optional[bool] = None) -> tuple[bool]:
        """Set the switches that are not None. Return the previous values, in the order of the arguments."""
        before = (self.allow_tf32,)
        if _allow_tf32 is not None:
            self.allow_tf32 = _allow_tf32
        return before

    @contextmanager
    def flags(self, allow_tf32: bool = True) -> Iterator[None]:
        """Return a context manager that sets the switches for a `with` block."""
        before = self.set_flags(allow_tf32)
        try:
            yield
        finally:
            self.set_flags(*before)


mudnn = MudnnModule("torch.backends.mudnn", __doc__)
flags, set_flags, version, is_available = mudnn.flags, mudnn.set_flags, mudnn.version, mudnn.is_available
