# expect float32_matrix_product=True
# expect half_sum=True
# expect float32_exp=True
"""Whether results are as near to exact ones as any correct way of computing on the CPU: no TF32, no sums in half."""

from torch_probe import fact, torch_with_musa

torch = torch_with_musa()
torch.manual_seed(5)
a, b = torch.randn(256, 256), torch.randn(256, 256)
exact = a.double() @ b.double()
error = ((a.to("musa") @ b.to("musa")).cpu().double() - exact).abs().max() / exact.abs().max()
fact("matrix_product_error", f"{error:.1e}")
fact("float32_matrix_product", bool(error < 2e-6))
x = torch.rand(20000).half()
total = float(x.to("musa").sum().float().cpu())
fact("half_sum", abs(total - float(x.double().sum())) / total < 2e-3)
y = torch.linspace(-20, 20, 4001)
relative = (y.to("musa").exp().cpu().double() / y.double().exp() - 1).abs().max()
fact("exp_error", f"{relative:.1e}")
fact("float32_exp", bool(relative < 1e-6))
