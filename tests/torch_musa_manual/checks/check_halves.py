"""Call the extension that setup.py has built in the folder on PYTHONPATH."""

import importlib

import numpy as np
import torch_musa  # noqa: F401

halves = importlib.import_module("halves")  # needs torch's libraries
for size in (1, 127, 1000):
    values = np.random.default_rng(size).standard_normal(size).astype(np.float16)
    wanted = values * np.float16(3)
    assert halves.scale_(values, 1.5) == 0
    assert (values == wanted).all()
