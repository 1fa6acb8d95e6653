"""torch.backends.mudnn: the switches that programs set. There is no muDNN here and none of them changes a result."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

from torch_musa import _MUSAC


class MudnnModule(ModuleType):
    """The module torch.backends.mudnn, with `allow_tf32` as an attribute that can be set."""

    @property
    def allow_tf32(self) -> bool:
        """Whether float32 products may be rounded to TensorFloat-32. Remembered, but without effect here."""
        return _MUSAC._get_allow_tf32()

    @allow_tf32.setter
    def allow_tf32(self, allow: bool) -> None:
        _MUSAC._set_allow_tf32(allow)

    @contextmanager
    def flags(self, allow_tf32: bool = True) -> Iterator[None]:
        """Set the switches for a `with` block."""
        before = self.allow_tf32
        self.allow_tf32 = allow_tf32
        try:
            yield
        finally:
            self.allow_tf32 = before


mudnn = MudnnModule("torch.backends.mudnn", __doc__)
