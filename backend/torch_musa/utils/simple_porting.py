"""musa_build's porting of CUDA sources, under torch_musa's name; also a command, with `python -m`."""

from musa_build import SimplePorting

__all__ = ["SimplePorting"]

if __name__ == "__main__":
    import runpy

    runpy.run_module("musa_build.porting", run_name="__main__", alter_sys=True)
