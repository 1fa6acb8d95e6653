"""Install and uninstall the hook, in a program or, by its name, in a build; compare the state before and after."""

import os
import sys
import urllib.request

import setuptools

EARLY = os.environ["EARLY"] == "True"  # whether PyTorch is imported before the hook comes
ASKED = ("CUDAExtension", "BuildExtension", "load", "load_inline", "CUDA_HOME")


def state():
    import torch
    from torch.utils import cpp_extension as tools

    attributes = [getattr(tools, name) for name in ASKED]
    attributes += [setuptools.Distribution.run_command, urllib.request.urlopen, urllib.request.urlretrieve]
    attributes += [torch.version.cuda, torch.cuda.is_available(), torch.backends.cuda.is_built(), torch.has_cuda]
    attributes += [torch.cuda.device_count()]
    return [attributes, dict(os.environ), finders(), load]


def finders():
    # torch_musa, which PyTorch imports, has one of its own: it watches for PyTorch's compiler.
    return [finder for finder in sys.meta_path if not type(finder).__module__.startswith("torch_musa.")]


first = os.environ.pop("FORCE_MUSA")
load = None
if EARLY:
    from torch.utils.cpp_extension import load

    before = state()
os.environ["FORCE_MUSA"] = first
with_switch = dict(os.environ)
from musa_build.force_musa import import_hook  # noqa: E402

finders_before = finders()
import_hook.install()
import_hook.install()
during = state()
import_hook.uninstall()
import_hook.uninstall()
after = state()
if not EARLY:
    # PyTorch has its own functions when it is imported without the hook.
    for name in [name for name in sys.modules if name == "torch.utils.cpp_extension"]:
        original = [getattr(sys.modules[name], asked).__module__ for asked in ASKED[:-1]]
    assert original == ["torch.utils.cpp_extension"] * 4, original
    assert after[0][4] is None and after[0][8:] == [None, False, False, False, 0], after[0]
else:
    assert after[0] == before[0] and after[3] is before[3], after
    assert during[3] is not before[3]
assert after[1] == with_switch, set(after[1].items()) ^ set(with_switch.items())
assert after[2] == finders_before
print(during[0][0].__module__, during[0][4] is not None, during[0][8:], during[0][5] is not after[0][5])
