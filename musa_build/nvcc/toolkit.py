"""The toolkit that an nvcc belongs to, as its file `nvcc.facts` describes it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple

FACTS = "nvcc.facts"


class Toolkit(NamedTuple):
    """A CUDA toolkit on a MUSA SDK.

    Attributes:
        root: The toolkit's folder.
        sdk: The SDK's folder.
        version: The version that nvcc announces: "12.4".
        build: The last number of the version: "131".
        mcc_version: The release of the SDK's mcc.
        architectures: The MUSA architectures that mcc may know: "22".
        on_sale: Those of the cards on sale, for the word `all`.
        default_architectures: Those of a build that names none.
        tags: The macros that make the SDK's structures CUDA's; see cuda_toolkit.names.
    """

    root: str
    sdk: str
    version: str
    build: str
    mcc_version: str
    architectures: tuple[str, ...]
    on_sale: tuple[str, ...]
    default_architectures: tuple[str, ...]
    tags: tuple[str, ...]

    @property
    def mcc(self) -> str:
        """The SDK's compiler."""
        return f"{self.sdk}/bin/mcc"

    @property
    def prelude(self) -> str:
        """The header that comes before every source."""
        return f"{self.root}/include/musa_cuda/prelude.h"

    @classmethod
    def load(cls, root: str) -> Toolkit:
        """Read the description of the toolkit in a folder."""
        with open(os.path.join(root, FACTS), encoding="utf-8") as stream:
            facts: Mapping[str, str] = dict(line.rstrip("\n").split("=", 1) for line in stream)
        return cls(
            root=root,
            sdk=facts["sdk"],
            version=facts["version"],
            build=facts["build"],
            mcc_version=facts["mcc_version"],
            architectures=tuple(facts["architectures"].split()),
            on_sale=tuple(facts["on_sale"].split()),
            default_architectures=tuple(facts["default_architectures"].split()),
            tags=tuple(facts["tags"].split()),
        )

    def save(self) -> str:
        """Return the text of the description."""
        facts = {
            "sdk": self.sdk,
            "version": self.version,
            "build": self.build,
            "mcc_version": self.mcc_version,
            "architectures": " ".join(self.architectures),
            "on_sale": " ".join(self.on_sale),
            "default_architectures": " ".join(self.default_architectures),
            "tags": " ".join(self.tags),
        }
        return "".join(f"{name}={value}\n" for name, value in facts.items())
