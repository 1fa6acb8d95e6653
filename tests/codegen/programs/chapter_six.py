"""Generate and build the examples of chapter six, and compare them with PyTorch on the CPU."""

import sys
from pathlib import Path

import torch
from musa_codegen.__main__ import generate

from musa_build import load

library, work = map(Path, sys.argv[1:3])
generate(library / "musa_functions.yaml", work / "generated", shards=1)
sources = [*work.glob("generated/*.cpp"), *library.glob("*.cpp"), library / "Lerp.mu"]
# the header of a base class is found where an installed torch_musa would have it
(work / "torch_musa/csrc/aten").mkdir(parents=True, exist_ok=True)
(work / "torch_musa/csrc/aten/ops").unlink(missing_ok=True)
(work / "torch_musa/csrc/aten/ops").symlink_to(library)
examples = load(
    "manual_examples",
    [str(source) for source in sources],
    extra_include_paths=[str(work / "generated"), str(work)],
    extra_ldflags=["-lmudnn"],
    build_directory=str(work),
)

kinds = torch.musa.operator_kinds()
structured = ("lerp.Scalar", "lerp_.Tensor", "tril", "tril_", "tril.out", "triu.out")
for name in (*structured, "nonzero", "add.Tensor", "sub.Tensor"):
    assert kinds["aten::" + name] == "native", name
torch.musa.reset_fallback_report()


def check(function, *tensors, **keywords):
    expected = function(*tensors, **keywords)
    actual = function(*[tensor.to("musa") for tensor in tensors], **keywords)
    assert actual.device.type == "musa"
    torch.testing.assert_close(actual.cpu(), expected)


for rows, columns in ((1, 1), (5, 3), (40, 70)):
    a, b = torch.randn(rows, columns), torch.randn(rows, columns)
    for k in (-2, 0, 3):
        check(torch.tril, a, diagonal=k)
        check(torch.triu, a, diagonal=k)
        check(lambda x, k=k: x.clone().tril_(k), a)
        check(lambda x, k=k: x.clone().triu_(k), a)
        check(lambda x, k=k: torch.triu(x, k, out=torch.empty(0, device=x.device)), a)
        check(lambda x, k=k: torch.tril(x.t(), k, out=torch.empty_like(x.t())), a)
    check(lambda x, y: torch.lerp(x, y, 0.25), a, b)
    check(torch.lerp, a, b, torch.rand(rows, columns))
    check(lambda x, y: x.clone().lerp_(y, 0.25), a, b)
    check(torch.nonzero, (a > 0).float())
    check(lambda x, y: torch.add(x, y, alpha=2), a, b)
    check(lambda x, y: x.clone().add_(y), a, b)
    check(lambda x, y: torch.sub(x, y.t().contiguous().t(), alpha=3), a, b)
    check(torch.sub, a, b[:1])
    check(lambda x, y: torch.add(x, y, out=torch.empty(0, device=x.device)), a, b)
check(torch.view_as_real, torch.randn(4, dtype=torch.complex64))
assert examples.checks() > 0
try:
    torch.randn(3, device="musa").triu()
except RuntimeError as error:
    assert "at least 2 dimensions" in str(error)
else:
    raise AssertionError("our own check did not run")

x = torch.randn(4, 4, requires_grad=True, device="musa")
torch.tril(x).sum().backward()  # autograd knows the function by its name
assert torch.equal(x.grad.cpu(), torch.ones(4, 4).tril())
ours = {count.name for count in torch.musa.fallback_report().operators}
names = {name.split("::")[1].split(".")[0].rstrip("_") for name in ours}
assert not names & {"lerp", "tril", "triu", "add", "sub"}
print("all examples agree with the CPU")
