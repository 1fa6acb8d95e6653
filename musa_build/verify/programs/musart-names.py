# expect missing=none
"""Names of torch.musa.musart(), and whether devices with bfloat16 are taken for ones with TensorFloat-32."""

from torch_probe import fact, torch_with_musa

torch = torch_with_musa()
NAMES = (
    "musaError", "musaGetErrorString", "musaHostRegister", "musaHostUnregister", "musaMemGetInfo", "musaProfilerStart",
    "musaProfilerStop", "musaStreamCreate", "musaStreamDestroy",
)  # fmt: skip
musart = torch.musa.musart()
fact("missing", " ".join(name for name in NAMES if not hasattr(musart, name)) or "none")
if hasattr(torch.musa, "is_tf32_supported"):
    fact("tf32", torch.musa.is_tf32_supported())
    fact("bf16", torch.musa.is_bf16_supported())
