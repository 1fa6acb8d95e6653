"""The converter leaves some code as it is, and reports it."""

from __future__ import annotations

import pytest
from converting import converted, notes, result, unchanged

from musa_tools.convert.edits import LEFT, UNCLEAR, UNSUPPORTED

TORCH = "import torch\n"


@pytest.mark.parametrize(
    "code",
    [
        "# torch.cuda.synchronize(), device='cuda'\n",
        "'''x.to('cuda') moves to torch.cuda'''\n",
        "def f():\n    '''device='cuda' '''\n",
        "URL = 'https://download.pytorch.org/whl/cuda118/index.html'\n",
        "torch.load('model_cuda.pth')\n",
        "open('cuda')\nos.path.join(root, 'cuda')\n",
        "counts = {'cuda': 1}\ncounts['cuda'] += 1\n",
        "use_cuda = True\ncuda_home = find(use_cuda)\nself.cuda = True\nif options.cuda: pass\n",
        "parser.add_argument('--no-cuda', action='store_true')\nparser.add_argument('--cuda', default=True)\n",
        "from .cuda_utils import f\nfrom utils.cuda_helpers import g\nfrom . import cuda\ncuda.f()\n",
        "from numba import cuda\n@cuda.jit\ndef f(): pass\ncuda.to_device(x)\n",
        "import numba.cuda\nnumba.cuda.synchronize()\n",
        "import pycuda.driver as cuda\ncuda.init()\n",
        "import cupy\ncupy.cuda.Device(0)\ncupy.asarray(x, device='cuda')\n",
        "import jax\njax.devices('cuda:0')\n",
        "def f(torch):\n    return torch.cuda.x\n",
        "def f():\n    torch = other()\n    return torch.cuda.x\n",
        "class A:\n    torch = None\n",
        "[torch.cuda for torch in backends]\n",
        "f = lambda torch: torch.cuda.x\n",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from torch.cuda import Stream\n",
        "if False:\n    torch.cuda.synchronize()\n",
        "load_inline('x', r'''__global__ void f() {} // cuda''')\n",
        "deserialize_cuda_engine(x)\nproviders = ['CUDAExecutionProvider']\n",
        "print('moving to cuda:0')\n",
        "x.einsum('cuda,cuda->c')\ntorch.einsum('cuda', x)\n",
        "event.cuda_time_total\nf(cuda_memory_usage=1)\n",
    ],
)
def test_is_not_changed(code: str) -> None:
    assert unchanged(code if "torch" in code.split("\n")[0] else TORCH + code)


@pytest.mark.parametrize(
    ("code", "word"),
    [
        ("torch.cuda.nvtx.range_push('x')", "nvtx"),
        ("from torch.cuda import nvtx", "nvtx"),
        ("from torch.cuda.nvtx import range_push", "nvtx"),
        ("import torch.cuda.comm", "comm"),
        ("torch.cuda.nccl.reduce(x)", "nccl.reduce"),
        ("torch.cuda.jiterator", "jiterator"),
        ("from torch.cuda import *", "not listed"),
        ("if torch.version.cuda: pass", "torch.version.cuda"),
        ("torch.distributed.is_nccl_available()", "mccl"),
        ("class Net(nn.Module):\n    def cuda(self, device=None): pass", "overrides"),
        ("x.to('c\\x75da', cuda)", "escapes"),
        ("from torch.cuda import (nvtx,  # one\n    amp)", "import amp from torch_musa"),
        ("torch.utils.cpp_extension.CUDAExtension('x', [])", "MUSAExtension"),
    ],
)
def test_unsupported_is_left_and_said(code: str, word: str) -> None:
    assert unchanged(TORCH + code)
    (message, *_) = notes(TORCH + code, UNSUPPORTED)
    assert word in message


@pytest.mark.parametrize(
    ("code", "word"),
    [
        ("choose('cuda')", "'cuda'"),
        ("kinds = 'cpu, cuda:1'", "'cpu, cuda:1'"),
        ("run = {'a': storage.cuda}[spot]", "a tensor's or a module's method"),
        ("self.is_cuda = False\nif self.is_cuda: pass", "attribute of that name"),
    ],
)
def test_what_may_mean_the_device_is_left_and_shown(code: str, word: str) -> None:
    assert unchanged(TORCH + code)
    assert any(word in message for message in notes(TORCH + code, UNCLEAR))


@pytest.mark.parametrize(
    ("code", "word"),
    [
        ("torch.backends.cudnn.benchmark = True", "cuDNN"),
        ("class A:\n    def cuda(self): pass\n    def f(self): self.cuda()", "a cuda() of its own"),
        ("class A:\n    def cuda(self): pass\na = A()\na.cuda()", "a cuda() of its own"),
        ("x.cuda(1, 2, 3)", "other parameters"),
        ("import net\nnet.cuda()", "another module"),
    ],
)
def test_what_means_something_else_is_left_and_said(code: str, word: str) -> None:
    assert unchanged(TORCH + code)
    assert any(word in message for message in notes(TORCH + code, LEFT))


def test_notes_have_line_and_column() -> None:
    (remark,) = result("import torch\n\nétat = 'é', torch.cuda.nvtx\n").remarks
    assert (remark.line, remark.column, remark.level) == (3, 13, UNSUPPORTED)


def test_different_tf32_switches_are_said() -> None:
    code = TORCH + "torch.backends.cudnn.allow_tf32 = True\ntorch.backends.cuda.matmul.allow_tf32 = False\n"
    assert any("one switch" in message for message in notes(code, LEFT))


def test_a_name_is_torch_if_any_branch_says_so() -> None:
    code = "try:\n    import torch\nexcept ImportError:\n    torch = None\nif torch: torch.cuda.synchronize()\n"
    assert "torch.musa" in converted(code)
    assert "torch.musa" in converted("torch = pytest.importorskip('torch')\ntorch.cuda.synchronize()\n")
    assert "torch.musa" in converted("from base import *\ntorch.cuda.synchronize()\n")


def test_scopes_of_classes_and_functions() -> None:
    code = (
        "class A:\n"
        "    import torch\n"
        "    def f(self):\n"
        "        import numba as torch\n"
        "        return torch.cuda.x()\n"
        "    def g(self):\n"
        "        return torch.cuda.synchronize()\n"  # the class's name is not seen here: the module's is
        "def h():\n"
        "    global torch\n"
        "    torch.cuda.synchronize()\n"
    )
    assert converted(code).count("torch.musa") == 2
    assert "return torch.cuda.x()" in converted(code)


def test_the_old_way_on_request() -> None:
    code = (
        "import torch\nfrom torch.cuda import amp\nuse_cuda = 'CUDA'  # cuda\n"
        "from torch.utils.cpp_extension import load\n"
    )
    assert converted(code, textual=True) == (
        "import torch\nfrom torch_musa import amp\nuse_musa = 'MUSA'  # musa\n"
        "from torch_musa.utils.musa_extension import load\n"
    )
