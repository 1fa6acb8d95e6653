"""`__managed__` variables: one object in the host program's memory, which device code reaches by its address.

The header puts them into a section, which clang prints in both passes. The device module then only declares them, and
libmusart fills in their addresses when it loads the image (runtime/programs/managed_variables.h). clang puts their
initial values into the device module; this pass moves them to the host module.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from ..errors import CompileFailed, InternalError
from ..ir.pieces import Variable
from ..ir.text import bare, global_name, global_names, last_word, replace_names, symbol
from ..runtime_abi.names import MANAGED_SECTION

if TYPE_CHECKING:
    from ..ir.instructions import Instruction
    from ..ir.module import Module

_REGISTER, _REGISTER_MANAGED = "__cudaRegisterVar", "__musa_sim_register_managed"


def share(host: Module, modules: Mapping[Module, Module], with_host: bool) -> tuple[Module, dict[Module, Module]]:
    """Define the managed variables in the host module. Return it, and the new device module for each given one.

    `with_host` is False for an image alone: the device module then keeps them. Raises CompileFailed as _define() does.
    """
    # clang leaves static variables out of the host module if no host code uses them
    hosted = [variable.name for variable in _managed(host) if variable.is_defined and with_host]
    of_device = _names_of_device(host)
    names = {name: of_device.get(name, name) for name in hosted}
    changed = {module: _declare(current, names.values()) for module, current in modules.items()}
    return (_define(host, next(iter(modules.values())), names) if names else host), changed


def _managed(module: Module) -> list[Variable]:
    return [variable for variable in module.variables.values() if variable.section == MANAGED_SECTION]


def _names_of_device(host: Module) -> dict[str, str]:
    """Return the device's names of the host's variables. They differ for static variables with -fgpu-rdc."""
    pairs = ((last_word(call.arguments[1]), last_word(call.arguments[3])) for call in host.calls_of(_REGISTER))
    return {name: global_name(host.strings[text]) for name, text in pairs if text in host.strings}


def _declare(device: Module, hosted: Collection[str]) -> Module:
    """Return the device module with the host's variables declared instead of defined."""
    section = f'section "{MANAGED_SECTION}"'

    def changed(variable: Variable) -> Variable:
        if variable.section != MANAGED_SECTION:
            return variable
        if variable.name not in hosted:
            return variable.replace(attributes=[each for each in variable.attributes if each != section])
        align = [each for each in variable.attributes if each.startswith("align ")]
        return variable.replace(linkage="external ", kind="global", value=variable.type, attributes=[section, *align])

    return device.change(Variable, changed)


def _define(host: Module, device: Module, names: Mapping[str, str]) -> Module:
    """Return the host module with the initial values of the managed variables, which it registers as managed.

    `names` maps the host's name of each variable to the device's. Raises CompileFailed if an initial value is an
    address that only the device has.
    """
    values = {variable.name: variable.typed_value for variable in _managed(device) if variable.is_defined}
    of_host = {name: own for own, name in names.items()}

    def changed(variable: Variable) -> Variable:
        if variable.section != MANAGED_SECTION:
            return variable
        attributes = [each for each in variable.attributes if not each.startswith("section ")]
        if not variable.is_defined:
            return variable.replace(kind="global", attributes=attributes)
        value = values.get(names[variable.name])
        if value is None:
            raise InternalError(f"the managed variable {variable.name} has no value in the device module")
        unmanaged = [other for other in global_names(value) if other not in of_host]
        if unmanaged:
            name, other = (symbol(bare(each)) for each in (variable.name, unmanaged[0]))
            raise CompileFailed(
                f"mcc: error: the __managed__ variable {name} is initialised with the address of {other}; "
                "the simulator allows addresses of other __managed__ variables only\n"
            )
        return variable.replace(kind="global", value=replace_names(value, of_host), attributes=attributes)

    def register(item: Instruction) -> str:
        is_managed = item.callee == _REGISTER and last_word(item.arguments[1]) in names
        return item.text.replace(f"@{_REGISTER}(", f"@{_REGISTER_MANAGED}(") if is_managed else item.text

    callers = {each.name: each.rewrite({"call": register}) for each in host.callers_of(_REGISTER)}
    host = host.change(Variable, changed).change_functions(callers)
    register_variable = host.declarations[_REGISTER]
    return host.insert_after(register_variable, register_variable.head.replace(_REGISTER, _REGISTER_MANAGED))
