"""musa_build's build of extensions, under torch_musa's names."""

from musa_build import BuildExtension, MUSAExtension, include_paths, library_paths, load, load_inline

__all__ = ["BuildExtension", "MUSAExtension", "include_paths", "library_paths", "load", "load_inline"]
