"""The former name of `musa_tools.compare_dumps.other_tools`."""

from musa_tools.compare_dumps.other_tools import hooks_compare, ptdbg_compare, ptdbg_parse

__all__ = ["hooks_compare", "ptdbg_compare", "ptdbg_parse"]
