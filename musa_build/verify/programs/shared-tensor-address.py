# expect same_address=False
# expect value_arrives=True
"""Whether a tensor keeps its address when torch.multiprocessing sends it for the first time."""

import sys
from typing import Any

from torch_probe import fact, torch_with_musa


def receive(queue: Any, answers: Any) -> None:
    """Send back twice the sum of the tensor that arrives."""
    tensor = queue.get()
    answers.put(float(tensor.sum()))


if __name__ == "__main__":
    torch = torch_with_musa()
    import torch.multiprocessing as multiprocessing

    context = multiprocessing.get_context("spawn")
    queue, answers = context.Queue(), context.Queue()
    child = context.Process(target=receive, args=(queue, answers), daemon=True)
    child.start()
    tensor = torch.ones(8, device="musa")
    before = tensor.data_ptr()
    queue.put(tensor)
    fact("value_arrives", answers.get(timeout=50) == 8.0)
    fact("same_address", tensor.data_ptr() == before)
    child.join(10)
    sys.exit(0)
