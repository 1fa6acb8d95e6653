"""The commands that have modules of their own.

main.py does not import them itself: it would import more modules of the package than one module may
(tests/test_architecture.py).
"""

from .cache import cache
from .cuda import cuda_env, run
from .explain import explain
from .install import install
from .new import demo, new
from .sim import sim
from .torch_musa import torch_musa
from .verify import verify

COMMANDS = (cache, cuda_env, demo, explain, install, new, run, sim, torch_musa, verify)
