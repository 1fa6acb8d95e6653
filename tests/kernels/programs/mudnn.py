"""Products, convolutions and softmax by muDNN against double precision on the CPU."""

import sys

import torch
import torch.nn.functional as F

from musa_build import load

torch.manual_seed(2026)
mudnn = torch.backends.mudnn
types = (torch.float, torch.half, torch.bfloat16)


def run(function, *operands):
    leaves = [operand.detach().requires_grad_() for operand in operands]
    out = function(*leaves)
    torch.manual_seed(1)
    gradient = torch.randn(out.shape, dtype=torch.double).to(out)
    out.backward(gradient)
    return [out.detach(), *(leaf.grad for leaf in leaves)]


def compare(function, *shapes, types=types, exact=True):
    for dtype in types:
        operands = [torch.randn(shape).to(dtype) for shape in shapes]
        exacts = run(function, *(operand.double() for operand in operands))
        # a gradient is made of the result: that it is exact for the exact result proves nothing
        for position, (found, expected) in enumerate(zip(run(function, *(o.to("musa") for o in operands)), exacts)):
            if exact and position == 0:
                differ = (found.cpu() != expected.to(dtype)).sum().item()
                assert differ == 0, (dtype, shapes, differ)
            torch.testing.assert_close(
                found.cpu().double(),
                expected,
                rtol=2e-2 if dtype != torch.float else 1e-4,
                atol=5e-2 if dtype != torch.float else 1e-4,
            )


def differs(function, *shapes):
    operands = [torch.randn(shape) for shape in shapes]
    exact = function(*(operand.double() for operand in operands)).float()
    return not torch.equal(function(*(operand.to("musa") for operand in operands)).cpu(), exact)


products = (lambda a, b: a @ b, (40, 300), (300, 17))
convolution = (lambda x, w: F.conv2d(x, w, padding=1), (2, 16, 9, 8), (5, 16, 3, 3))
assert mudnn.is_available() == (sys.argv[1] == "built in")
if not mudnn.is_available():
    # the kernels round after each product
    assert differs(*products) and differs(*convolution)
    work, source = sys.argv[1:]
    load("mudnn_functions", [source], extra_ldflags=["-lmudnn"], build_directory=work, is_python_module=False)
assert mudnn.is_available()

compare(*products)
compare(lambda a, b: a.t() @ b.t(), (300, 40), (17, 300))
compare(lambda a, b: torch.bmm(a, b), (3, 20, 100), (3, 100, 7))
compare(lambda a, b: torch.bmm(a.transpose(1, 2), b), (3, 100, 20), (3, 100, 7))
compare(lambda c, a, b: torch.addmm(c, a, b, beta=0.5, alpha=2), (20, 7), (20, 100), (100, 7), exact=False)
compare(lambda a, b: a[:, ::2] @ b, (4, 20), (10, 3), exact=False)  # copied first, or left to the kernels
compare(*convolution)
compare(lambda x, w: F.conv1d(x, w, stride=2, padding=3, dilation=2), (2, 4, 30), (6, 4, 3))
compare(lambda x, w: F.conv2d(x, w, stride=(2, 1), padding=(0, 2), groups=2), (1, 6, 11, 7), (4, 3, 3, 2))
compare(lambda x, w: F.conv3d(x, w, padding=1), (1, 3, 4, 5, 6), (2, 3, 2, 3, 3), types=(torch.float,))
compare(lambda x, w: F.conv_transpose2d(x, w, stride=2, padding=1, output_padding=1), (2, 6, 5, 4), (6, 3, 3, 3))
compare(lambda x, w: F.conv_transpose1d(x, w, stride=3), (2, 4, 9), (4, 2, 5))
compare(lambda x, w, b: F.conv2d(x, w, b), (1, 3, 6, 6), (4, 3, 3, 3), (4,), exact=False)
for dim in (0, 1, -1):
    compare(lambda x, dim=dim: torch.softmax(x, dim), (7, 12, 5))
    compare(lambda x, dim=dim: torch.log_softmax(x, dim), (7, 12, 5))
compare(lambda x: torch.softmax(x.t(), 0), (6, 9))
# left to the kernels
compare(*products, types=(torch.double,), exact=False)
compare(*convolution, types=(torch.double,), exact=False)
complex_numbers = torch.randn(4, 4, dtype=torch.cfloat)
torch.testing.assert_close((complex_numbers.musa() @ complex_numbers.musa()).cpu(), complex_numbers @ complex_numbers)
empty = torch.empty(0, 4, device="musa") @ torch.empty(4, 3, device="musa")
assert empty.shape == (0, 3) and torch.empty(2, 0, device="musa").softmax(1).shape == (2, 0)
torch.testing.assert_close(torch.tensor(3.0, device="musa").softmax(0).cpu(), torch.tensor(1.0))

# in the order of the stream, and on another device
with torch.musa.stream(torch.musa.Stream()):
    a = torch.randn(50, 60)
    b = a.to("musa", non_blocking=True)
    for _ in range(20):
        b = (b @ b.t() @ b / 1000).clamp(-1, 1)
    torch.musa.current_stream().synchronize()
    for _ in range(20):
        a = (a @ a.t() @ a / 1000).clamp(-1, 1)
    torch.testing.assert_close(b.cpu(), a, rtol=1e-3, atol=1e-4)
if torch.musa.device_count() > 1:
    there = torch.randn(4, 4, device="musa:1")
    assert (there @ there).device == there.device

assert not mudnn.allow_tf32
with mudnn.flags(allow_tf32=True):
    compare(*products, types=(torch.float,))
print("muDNN agrees with the CPU")
