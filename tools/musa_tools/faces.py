"""The former name of `musa_tools.other_tools`: the same modules, under the names that programs import."""

import sys
from importlib import import_module

__path__: list[str] = []  # a package: the import system then looks for its modules in sys.modules

for _name in ("hooks", "hooks.tools", "msprobe", "ptdbg_ascend"):
    globals()[_name] = sys.modules[f"{__name__}.{_name}"] = import_module(f"musa_tools.other_tools.{_name}")
