import sys

print("[1/2] one", file=sys.stderr, flush=True)
print("a warning, [1/2] no progress", file=sys.stderr, flush=True)
sys.stdin.read()
print("[2/2] two", file=sys.stderr)
sys.stderr.flush()
sys.stderr.buffer.write(b"error: \xff\n")
print("/a/path")
sys.exit(3)
