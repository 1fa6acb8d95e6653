"""The name of a module in the hierarchy, in the form of torch_musa's documents."""

from __future__ import annotations

from typing import Optional


class ModuleInfo:
    """The name of a module and where it stands.

    Args:
        name: The class name.
        father: The module that called it.
        is_leaf: Whether it calls no module itself.
        is_forward: Whether it runs forward.
    """

    def __init__(
        self, name: str, father: Optional[ModuleInfo] = None, is_leaf: bool = False, is_forward: bool = True
    ) -> None:
        self.name = name
        self.father = father
        self.children: list[ModuleInfo] = []
        self.is_leaf = is_leaf
        self.is_forward = is_forward
        if father is not None:
            father.children.append(self)

    def name_with_prefix(self) -> str:
        """Return the names from the outermost module to this one."""
        names: list[str] = []
        module: Optional[ModuleInfo] = self
        while module is not None:
            names.append(module.name)
            module = module.father
        return "/".join(reversed(names))

    def full_name(self) -> str:
        """Return the names and the direction."""
        return f"{self.name_with_prefix()}({'forward' if self.is_forward else 'backward'})"
