"""The functions of libmusart that device code calls."""

from __future__ import annotations

BARRIER = "__musa_sim_sync_threads"
YIELD = "__musa_sim_sync_yield"
ABORT = "__musa_sim_abort"
FRAMES = "__musa_sim_frames"
CHECK_ACCESS = "__musa_sim_check_access"
CHECK_LOCAL = "__musa_sim_check_local"
CHECK_COPY = "__musa_sim_check_copy"
CHECK_MALLOC = "__musa_sim_check_malloc"
CHECK_FREE = "__musa_sim_check_free"
