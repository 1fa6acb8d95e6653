"""`__managed__` variables: one object, in the host program's memory, that device code reaches by its address.

The header marks them with a section, which clang prints in both passes. The device module then only declares them, and
libmusart fills in their addresses when it loads the image (runtime/managed_variables.h); the host module gets the
initial values, which clang leaves to the device.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from .errors import CompileFailed, InternalError
from .host_stubs import leading_type

_SECTION = ', section "__musa_sim_managed"'
_NAME = r'@(?:[\w.$-]+|"[^"]*")'
#: name, linkage, "type" or "type value", what follows
_VARIABLE = re.compile(rf"^({_NAME}) = ([^\n]*?)\b(?:global|constant) ([^\n]*?){_SECTION}([^\n]*)$", re.M)
_REGISTER = re.compile(rf"@__cudaRegisterVar(\(ptr [^,]+, ptr ({_NAME}),)")
_REGISTRATION = re.compile(r"^declare ([^\n]*)@__cudaRegisterVar(\([^\n]*)$", re.M)


def share(host_ir: str, modules: Mapping[str, str], with_host: bool) -> tuple[str, dict[str, str]]:
    """The host module and the device module of each architecture, once the managed variables are the host's.

    Without the host, an image alone, they stay the device's. Raises CompileFailed as define() does.
    """
    if not any(_SECTION in module for module in modules.values()):
        return host_ir, dict(modules)
    hosted = names(host_ir) if with_host else frozenset()
    declared = {arch: declare(module, hosted) for arch, module in modules.items()}
    return (define(host_ir, next(iter(modules.values()))) if hosted else host_ir), declared


def names(host_ir: str) -> frozenset[str]:
    """The managed variables of the host module: not all, as clang leaves out static ones that no host code uses."""
    return frozenset(found[1] for found in _VARIABLE.finditer(host_ir) if "external " not in found[2])


def declare(device_ir: str, hosted: frozenset[str]) -> str:
    """The device module with the variables that the host has as ones that are defined elsewhere."""

    def declaration(found: re.Match[str]) -> str:
        if found[1] not in hosted:
            return found[0].replace(_SECTION, "")
        align = re.search(r", align \d+", found[4])
        return f"{found[1]} = external global {leading_type(found[3])}{_SECTION}{align[0] if align else ''}"

    return _VARIABLE.sub(declaration, device_ir)


def declared(device_ir: str) -> frozenset[str]:
    """Linker symbols of the variables that declare() made the host's."""
    return frozenset(found[1][1:].strip('"') for found in _VARIABLE.finditer(device_ir) if "external " in found[2])


def define(host_ir: str, device_ir: str) -> str:
    """The host module with the managed variables' initial values, and their registration as such.

    Raises CompileFailed when an initial value is the address of something that only the device has.
    """
    hosted = names(host_ir)
    values = {found[1]: found[3] for found in _VARIABLE.finditer(device_ir) if "external " not in found[2]}

    def definition(found: re.Match[str]) -> str:
        name, linkage, shadow, rest = found.groups()
        if "external " in linkage:
            return f"{name} = {linkage}global {shadow}{rest}"
        if name not in values:
            raise InternalError(f"the managed variable {name} has no value in the device module")
        unmanaged = [other for other in re.findall(_NAME, values[name]) if other not in hosted]
        if unmanaged:
            raise CompileFailed(
                f"mcc: error: the __managed__ variable {name[1:]} is initialised with the address of "
                f"{unmanaged[0][1:]}; the simulator allows addresses of other __managed__ variables only\n"
            )
        return f"{name} = {linkage}global {values[name]}{rest}"

    host_ir = _VARIABLE.sub(definition, host_ir)
    host_ir = _REGISTER.sub(
        lambda found: f"@__musa_sim_register_managed{found[1]}" if found[2] in hosted else found[0], host_ir
    )
    return _REGISTRATION.sub(
        lambda found: f"{found[0]}\ndeclare {found[1]}@__musa_sim_register_managed{found[2]}", host_ir
    )
