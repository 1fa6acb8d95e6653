from torch_musa.utils.logger_util import LOGGER

LOGGER.debug("debug")
LOGGER.info("info")
LOGGER.warning("warn")
LOGGER.error("error")
LOGGER.critical("critical")
