# expect hidden_devices=0
# expect visible_devices=1
"""Whether MUSA_VISIBLE_DEVICES hides devices. Which variables of MCCL do something is not tried."""

import ctypes
import os
import subprocess
import sys

from torch_probe import fact, undecided

COUNT = """
import ctypes, sys
count = ctypes.c_int(-1)
ctypes.CDLL(sys.argv[1]).musaGetDeviceCount(ctypes.byref(count))
print(max(count.value, 0))
"""
runtime = os.environ["VERIFY_RUNTIME"]
count = ctypes.c_int(0)
if ctypes.CDLL(runtime).musaGetDeviceCount(ctypes.byref(count)) or not count.value:
    undecided("there is no device to hide")
for name, value in (("hidden_devices", "-1"), ("visible_devices", "0")):
    environment = {**os.environ, "MUSA_VISIBLE_DEVICES": value}
    done = subprocess.run(
        [sys.executable, "-c", COUNT, runtime], env=environment, capture_output=True, text=True, check=False
    )
    fact(name, done.stdout.strip())
