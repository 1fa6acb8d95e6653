import sys

for _ in range(2):
    try:
        import torch  # noqa: F401
    except ValueError as error:
        print(error, sys.meta_path[0].__class__.__name__)
