# expect has_function=True
# expect outside_of_a_capture=False
"""Whether torch.musa says that a graph is captured."""

from torch_probe import fact, torch_with_musa

torch = torch_with_musa()
asked = getattr(torch.musa, "is_current_stream_capturing", None)
fact("has_function", asked is not None)
if asked is not None:
    fact("outside_of_a_capture", asked())
