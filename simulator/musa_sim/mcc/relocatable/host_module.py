"""The host module of a source with relocatable device code: it holds the record, and asks for the device link."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import InternalError
from ..host import musa_names, placeholder
from ..ir.pieces import Alias
from .record import SECTION

if TYPE_CHECKING:
    from ..ir.module import Module

_REGISTER = "__cudaRegisterLinkedBinary"
_ALIAS = "__fatbinwrap"


def ask_for_device_link(module: Module, link_symbol: str) -> Module:
    """Have the constructor that clang wrote call the function of the device link, by a name of its own.

    It passes the function that registers kernels and variables. clang's names are made of the name of the file alone:
    two files of one name would clash.
    """
    registers = [name for name in module.declarations if name.startswith(_REGISTER)]
    if len(registers) != 1:
        raise InternalError(f"the host module has {len(registers)} calls of the device link, wanted 1")
    module = module.rename(registers[0], link_symbol)
    module = module.change(Alias, lambda alias: None if alias.names[0].startswith(_ALIAS) else alias)
    # the data of the wrapper, which nothing reads
    empty = module.change_variable(
        placeholder(module), lambda variable: variable.replace(value="[1 x i8] zeroinitializer", attributes=[])
    )
    return musa_names(empty.replace_words({'section "__nv_module_id"': 'section "__mt_module_id"'}))


def with_record(module: Module, record: bytes) -> Module:
    """Return the module with the record as text, in a section that the linker leaves out of its output."""
    step = 64
    rows = (record[at : at + step] for at in range(0, len(record), step))
    return _in_section(module, [f".byte {','.join(map(str, row))}" for row in rows])


def with_record_file(module: Module, record: Path) -> Module:
    """As with_record(), with the record in a file that the assembler reads: as text it is most of a module."""
    path = str(record).replace("\\", r"\5C\5C").replace('"', r"\5C\22")
    return _in_section(module, [f".incbin \\22{path}\\22"])


def _in_section(module: Module, lines: Sequence[str]) -> Module:
    begin = (f".section {SECTION}, \\22e\\22, @progbits", ".p2align 3")
    return module.add(*(f'module asm "{line}"\n' for line in (*begin, *lines, ".previous")))
