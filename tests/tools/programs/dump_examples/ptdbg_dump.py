"""Runs with `model`, `train`, `path`, `step` and `parts`, further arguments of the switch, in its name space."""

from ptdbg_ascend import *  # noqa: F403

seed_all()  # noqa: F405
set_dump_path(f"./{path}")  # noqa: F405
register_hook(model, acc_cmp_dump, dump_step=step)  # noqa: F405
train(model)  # noqa: F405
set_dump_switch("ON", **parts)  # noqa: F405
train(model)  # noqa: F405
set_dump_switch("OFF")  # noqa: F405
train(model)  # noqa: F405
