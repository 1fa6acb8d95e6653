"""warp-rnnt on `musa`: costs and gradients of the transducer loss against its recurrence in double precision."""

from __future__ import annotations

import torch
import torch_musa  # noqa: F401 - registers the musa device
from comparing import run_all
from warp_rnnt import rnnt_loss

SIZES = (  # samples, frames, labels, classes
    (1, 1, 0, 3),
    (2, 5, 3, 4),
    (3, 40, 9, 30),
    (2, 70, 66, 5),
)


def check_losses() -> None:
    for blank in (0, 2):
        for sizes in SIZES:
            agree(*sizes, blank=blank)


def check_gathered_losses() -> None:
    for sizes in SIZES:
        agree(*sizes, gather=True)


def check_compact_losses() -> None:
    for sizes in SIZES[1:]:
        agree(*sizes, compact=True)


def agree(samples: int, frames: int, labels: int, classes: int, *, blank: int = 0, **options: bool) -> None:
    scores = torch.randn(samples, frames, labels + 1, classes).log_softmax(-1)
    others = [number for number in range(classes) if number != blank]
    spoken = torch.tensor(others)[torch.randint(0, len(others), (samples, labels))].int()
    # the first sample has the full size, the others any
    lengths = torch.randint(1, frames + 1, (samples,)).int()
    words = torch.randint(0, labels + 1, (samples,)).int()
    lengths[0], words[0] = frames, labels
    compact = options.get("compact", False)
    reference = scores.double().requires_grad_()
    wanted = torch.stack([cost(reference[at], spoken[at], lengths[at], words[at], blank) for at in range(samples)])
    scale = torch.rand(samples) + 0.5
    (wanted * scale).sum().backward()
    rows = [scores[at, : lengths[at], : words[at] + 1].reshape(-1, classes) for at in range(samples)]
    given = torch.cat(rows) if compact else scores
    said = torch.cat([spoken[at, : words[at]] for at in range(samples)]) if compact else spoken
    leaf = given.musa().requires_grad_()
    got = rnnt_loss(leaf, said.musa(), lengths.musa(), words.musa(), blank=blank, **options)
    (got * scale.musa()).sum().backward()
    assert got.device.type == "musa" and reference.grad is not None and leaf.grad is not None
    torch.testing.assert_close(got.cpu().double(), wanted.detach(), rtol=1e-5, atol=1e-4)
    gradients = reference.grad
    if compact:
        parts = [gradients[at, : lengths[at], : words[at] + 1].reshape(-1, classes) for at in range(samples)]
        gradients = torch.cat(parts)
    torch.testing.assert_close(leaf.grad.cpu().double(), gradients, rtol=1e-3, atol=1e-4)


def cost(
    scores: torch.Tensor, spoken: torch.Tensor, frames: torch.Tensor, words: torch.Tensor, blank: int
) -> torch.Tensor:
    """Minus the logarithm of the sum over all ways through the frames and the words."""
    before: list[torch.Tensor] = []
    for frame in range(int(frames)):
        now: list[torch.Tensor] = []
        for word in range(int(words) + 1):
            ways = [] if frame == 0 else [before[word] + scores[frame - 1, word, blank]]
            ways += [] if word == 0 else [now[-1] + scores[frame, word - 1, int(spoken[word - 1])]]
            now.append(torch.logsumexp(torch.stack(ways), 0) if ways else scores.new_zeros(()))
        before = now
    return -(before[-1] + scores[int(frames) - 1, int(words), blank])


if __name__ == "__main__":
    run_all()
