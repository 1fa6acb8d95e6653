"""musa_sim: a MUSA SDK that runs on the CPU (mcc, headers, libmusart).

Other packages use it only as an SDK root: `python -m musa_sim root` prints the path of one.
"""

from __future__ import annotations

__version__ = "1.0.0rc3"

#: The MUSA release whose names and version numbers the simulated SDK shows (musa_runtime_api.h says the same).
SDK_VERSION = "5.2.0"
