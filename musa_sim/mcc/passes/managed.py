"""`__managed__` variables: one object in the host program's memory, which device code reaches by its address.

The header puts them into a section, which clang prints in both passes. The device module then only declares them, and
libmusart fills in their addresses when it loads the image (runtime/programs/managed_variables.h). clang puts their
initial values into the device module; this pass moves them to the host module.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..contract.names import MANAGED_SECTION
from ..errors import CompileFailed, InternalError
from ..ir.functions import redirect_calls, replace_declarations
from ..ir.text import bare, global_names, last_word, symbol
from ..ir.variables import Variable, replace_variables, variables

_REGISTER, _REGISTER_MANAGED = "__cudaRegisterVar", "__musa_sim_register_managed"


def share(host_ir: str, modules: Mapping[str, str], with_host: bool) -> tuple[str, dict[str, str]]:
    """Make the managed variables the host's: return the host module and the device module of each architecture.

    Without the host, an image alone, they stay the device's. Raises CompileFailed as define() does.
    """
    if not any(MANAGED_SECTION in module for module in modules.values()):
        return host_ir, dict(modules)
    hosted = names(host_ir) if with_host else frozenset()
    changed = {arch: declare(module, hosted) for arch, module in modules.items()}
    return (define(host_ir, next(iter(modules.values()))) if hosted else host_ir), changed


def _managed(ir: str) -> list[Variable]:
    return [variable for variable in variables(ir) if variable.section == MANAGED_SECTION]


def names(host_ir: str) -> frozenset[str]:
    """Return the managed variables of the host module, less static ones that no host code uses."""
    return frozenset(variable.name for variable in _managed(host_ir) if variable.is_defined)


def declare(device_ir: str, hosted: frozenset[str]) -> str:
    """Return the device module with the variables that the host has as ones that are defined elsewhere."""

    def changed(variable: Variable) -> str:
        if variable.section != MANAGED_SECTION:
            return variable.text
        section = f', section "{MANAGED_SECTION}"'
        if variable.name not in hosted:
            return variable.text.replace(section, "")
        return f"{variable.name} = external global {variable.type}{section}{variable.align}"

    return replace_variables(device_ir, changed)


def declared(device_ir: str) -> frozenset[str]:
    """Return the linker symbols of the variables that declare() made the host's."""
    return frozenset(symbol(bare(variable.name)) for variable in _managed(device_ir) if not variable.is_defined)


def define(host_ir: str, device_ir: str) -> str:
    """Return the host module with the managed variables' initial values, and their registration as such.

    Raises CompileFailed when an initial value is the address of something that only the device has.
    """
    hosted = names(host_ir)
    values = {variable.name: variable.before_section for variable in _managed(device_ir) if variable.is_defined}

    def changed(variable: Variable) -> str:
        if variable.section != MANAGED_SECTION:
            return variable.text
        head = f"{variable.name} = {variable.linkage}global "
        if not variable.is_defined:
            return f"{head}{variable.before_section}{variable.after_section}"
        if variable.name not in values:
            raise InternalError(f"the managed variable {variable.name} has no value in the device module")
        unmanaged = [other for other in global_names(values[variable.name]) if other not in hosted]
        if unmanaged:
            name, other = (symbol(bare(each)) for each in (variable.name, unmanaged[0]))
            raise CompileFailed(
                f"mcc: error: the __managed__ variable {name} is initialised with the address of {other}; "
                "the simulator allows addresses of other __managed__ variables only\n"
            )
        return f"{head}{values[variable.name]}{variable.after_section}"

    host_ir = replace_variables(host_ir, changed)
    host_ir = redirect_calls(host_ir, _REGISTER, _REGISTER_MANAGED, lambda arguments: last_word(arguments[1]) in hosted)
    return replace_declarations(
        host_ir,
        lambda name, line: line + line.replace(_REGISTER, _REGISTER_MANAGED) if name == _REGISTER else line,
    )
