import os
import shutil
import subprocess
import urllib.error
import urllib.request

import torch
from setuptools import setup
from torch.utils import cpp_extension

print("FORCE_CUDA", os.environ.get("FORCE_CUDA"), "available", torch.cuda.is_available())
print("home", bool(cpp_extension.CUDA_HOME), "version", torch.version.cuda)
if shutil.which("nvcc"):
    print(subprocess.run(["nvcc", "-V"], capture_output=True, text=True).stdout)
try:
    urllib.request.urlopen("https://example.org/probe-1.0-cp311-linux_x86_64.whl")
except urllib.error.HTTPError as error:
    print("download", error.code)
setup(name="probe", version="1.0")
