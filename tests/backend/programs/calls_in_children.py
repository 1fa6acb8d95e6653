"""Make each call of the command line in a process of its own, after the statement that is the first argument."""

import os
import sys
import warnings

import torch  # noqa: F401  (calls use it)

warnings.simplefilter("ignore")
for call in sys.argv[2:]:
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        exec(sys.argv[1])
        try:
            result = eval("(" + call + ")")
        except Exception as error:
            result = f"{type(error).__name__}: {error}".splitlines()[0]
        print(result, flush=True)
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status:
        print("died:", status)
