import sys
import time
from pathlib import Path

try:
    print("begun", flush=True)
    time.sleep(600)
except KeyboardInterrupt:
    Path(sys.argv[1]).write_text("interrupted")
