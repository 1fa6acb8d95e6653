"""The dump of two runs, and the check for overflows, with the functions of torch_npu.hooks; they live in musa_tools."""

from musa_tools.other_tools.hooks import (
    register_hook,
    schedule,
    seed_all,
    set_dump_path,
    step_schedule,
    wrap_acc_cmp_hook,
    wrap_async_datadump_hook,
    wrap_checkoverflow_hook,
)

__all__ = [
    "register_hook",
    "schedule",
    "seed_all",
    "set_dump_path",
    "step_schedule",
    "wrap_acc_cmp_hook",
    "wrap_async_datadump_hook",
    "wrap_checkoverflow_hook",
]
