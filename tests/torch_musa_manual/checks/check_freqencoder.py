"""Call the operator of the extension that setup_musa.py has built in the folder on PYTHONPATH."""

import importlib

import numpy as np
import torch
import torch_musa  # noqa: F401

importlib.import_module("freqencoder._MUSAC")  # registers the operator; it needs torch's libraries
x = torch.randn(33, 3, dtype=torch.float64)
y = torch.ops.freqencoder.encode(x.musa(), 2).cpu().numpy()
x = x.numpy()
wanted = np.concatenate([x, np.sin(x), np.cos(x), np.sin(2 * x), np.cos(2 * x)], axis=1)
assert np.allclose(y, wanted, rtol=0, atol=1e-15)
