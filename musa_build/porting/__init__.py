"""Porting: a CUDA source tree becomes a MUSA source tree. Needs neither torch nor a MUSA SDK."""

from __future__ import annotations

from musa_build.porting.edits import Finding, Severity
from musa_build.porting.simple_porting import PortReport, SimplePorting

__all__ = ["Finding", "PortReport", "Severity", "SimplePorting"]
