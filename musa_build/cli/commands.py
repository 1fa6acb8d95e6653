"""The commands that have modules of their own."""

from .cache import cache
from .explain import explain
from .install import install
from .new import demo, new
from .sim import sim
from .torch_musa import torch_musa
from .verify import verify

COMMANDS = (cache, demo, explain, install, new, sim, torch_musa, verify)
