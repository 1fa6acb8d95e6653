"""Runs first in every Python of a peer test, its child processes too: torch_musa.testing is then the checkout's."""

from __future__ import annotations

import os
import sys
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from typing import Optional

PACKAGE = "torch_musa.testing"


class CheckoutsTesting:
    """Finds torch_musa.testing in a checkout of torch_musa."""

    def __init__(self, checkout: Path) -> None:
        self._folder = checkout.joinpath(*PACKAGE.split("."))

    def find_spec(self, name: str, path: object = None, target: object = None) -> Optional[ModuleSpec]:
        if name != PACKAGE:
            return None
        return spec_from_file_location(
            name, self._folder / "__init__.py", submodule_search_locations=[str(self._folder)]
        )


sys.meta_path.insert(0, CheckoutsTesting(Path(os.environ["PEER_CHECKOUT"])))  # type: ignore[arg-type]
