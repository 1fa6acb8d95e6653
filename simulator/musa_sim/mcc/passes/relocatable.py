"""Relocatable device code: prepare a module for the link with those of other sources, and list what it shares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir.pieces import Alias, Piece, Variable
from ..ir.text import bare, global_name, global_names, name_before_unique, symbol
from ..runtime_abi.names import MANAGED_SECTION

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from ..ir.module import Module

#: clang's list of the variables of other files that this file's host code uses
_USED_BY_HOST = "__clang_gpu_used_external"
_KEPT = "llvm.compiler.used"
#: Linkages that define no name for other modules.
_LOCAL = ("internal", "private", "available_externally", "appending")
_SHARED = ("linkonce", "weak", "common")
_RESERVED = ("llvm.", "__musa_sim_")


def as_relocatable(module: Module) -> Module:
    """Prepare a module fresh from clang for the link with others."""
    return _without_host_uses(_with_one_name(module))


def _with_one_name(module: Module) -> Module:
    """Give a static variable its unique name everywhere: clang uses it only after the first use by the host."""
    known = {**module.variables, **module.functions}
    unique = {plain: name for name in known if (plain := name_before_unique(name))}
    split = {name: new for name, new in unique.items() if name in module.declarations or _is_declared(module, name)}
    if not split:
        return module
    names = {global_name(name): global_name(new) for name, new in split.items()}
    module = module.without_declarations(split).change(
        Variable, lambda variable: None if bare(variable.name) in split else variable
    )
    return module.replace_globals(names)


def _is_declared(module: Module, name: str) -> bool:
    return name in module.variables and not module.variables[name].is_defined


def _without_host_uses(module: Module) -> Module:
    if _USED_BY_HOST not in module.variables:
        return module

    def changed(variable: Variable) -> Piece | None:
        name = bare(variable.name)
        if name == _USED_BY_HOST:
            return None
        if name != _KEPT:
            return variable
        kept = [each for each in global_names(variable.value) if bare(each) != _USED_BY_HOST]
        value = f"[{len(kept)} x ptr] [{', '.join(f'ptr {each}' for each in kept)}]"
        return variable.replace(value=value, attributes=variable.attributes) if kept else None

    return module.change(Variable, changed)


def shared_names(module: Module) -> tuple[list[str], list[str], list[str]]:
    """Return the linker's names that a module alone defines, those that others may define too, and those it lacks."""
    defined: list[str] = []
    shared: list[str] = []
    for name, words in _definitions(module):
        if not words.startswith(_LOCAL):
            (shared if words.startswith(_SHARED) else defined).append(symbol(name))
    declared = [*module.declarations, *(name for name in module.variables if _is_declared(module, name))]
    lacking = [symbol(name) for name in declared if not name.startswith(_RESERVED) and not _is_dynamic(module, name)]
    return defined, shared, lacking


def _definitions(module: Module) -> Iterator[tuple[str, str]]:
    """Yield the name and the linkage of each definition of a module."""
    for name, function in module.functions.items():
        yield name, function.head[len("define ") :]
    for piece in module.pieces:
        if isinstance(piece, Variable) and piece.is_defined and not piece.name.startswith("@llvm."):
            yield bare(piece.name), piece.linkage
        elif isinstance(piece, Alias):
            yield piece.names[0], piece.text.partition(" = ")[2]


def _is_dynamic(module: Module, name: str) -> bool:
    """Return whether a name is that of dynamic shared memory, or of the function by which clang would initialise it."""
    if name.startswith("_ZTH"):
        return True
    variable = module.variables.get(name)
    return variable is not None and variable.is_thread_local and variable.type.startswith("[0 x ")


def marked_as_managed(module: Module, names: Collection[str]) -> Module:
    """Return a linked module in which all declarations of these `__managed__` variables have their section."""
    section = f'section "{MANAGED_SECTION}"'

    def changed(variable: Variable) -> Variable:
        is_one = not variable.is_defined and symbol(bare(variable.name)) in names and not variable.section
        return variable.replace(attributes=[section, *variable.attributes]) if is_one else variable

    return module.change(Variable, changed)
