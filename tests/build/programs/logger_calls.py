import logging

before = (logging.root.level, list(logging.root.handlers))
from musa_build.logger_util import LOGGER  # noqa: E402  the import is what may change them

LOGGER.debug("debug")
LOGGER.info("info")
LOGGER.warning("warn")
LOGGER.error("error")
LOGGER.critical("critical")
assert before == (logging.root.level, list(logging.root.handlers))
logging.basicConfig(level=logging.INFO)
logging.getLogger("theirs").info("theirs")
