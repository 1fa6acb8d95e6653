"""musa_build's logger, under torch_musa's name."""

from musa_build.logger_util import LOGGER

__all__ = ["LOGGER"]
