# expect others=none
"""The namespaces of the operators that importing torch_musa adds."""

import torch
from torch_probe import fact, undecided

dispatcher = torch._C
if not hasattr(dispatcher, "_dispatch_get_all_op_names"):
    undecided("this torch does not list its operators")
before = set(dispatcher._dispatch_get_all_op_names())
try:
    import torch_musa  # noqa: F401
except ImportError as error:
    undecided(f"no torch_musa: {error}")
added = {name.split("::")[0] for name in set(dispatcher._dispatch_get_all_op_names()) - before}
known = {name.split("::")[0] for name in before}
if not added:
    added = {name for name in ("musa", "torch_musa") if name in known}
fact("added", " ".join(sorted(added)) or "none")
fact("others", " ".join(sorted(added - known - {"musa", "torch_musa"})) or "none")
