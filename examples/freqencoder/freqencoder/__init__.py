"""Frequency encoding, the input layer of neural fields, as a GPU kernel with gradients of any order."""

from __future__ import annotations

from freqencoder.encoder import DEVICE, FreqEncoder, freq_encode

__all__ = ["DEVICE", "FreqEncoder", "freq_encode"]
