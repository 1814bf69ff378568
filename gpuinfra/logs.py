"""What gpuinfra reads and decides, logged at level DEBUG by the logger `gpuinfra`.

`gpuinfra --debug` shows it. In a program of your own:

    import logging
    logging.basicConfig()
    logging.getLogger("gpuinfra").setLevel(logging.DEBUG)

Messages name files, machines, prices, numbers of resources, and what rules say of them, as the
report does; never the values of inputs, which may be secret.
"""

import sys
from typing import Final

LOGGER: Final = "gpuinfra"


def debug(message: str, *values: object) -> None:
    """Log a message, with its values in place of its %s.

    It does not import `logging`: without that import no handler can exist, and loading it would
    take a tenth of a cold `gpuinfra check`.
    """
    logging_module = sys.modules.get("logging")
    if logging_module is not None:
        logging_module.getLogger(LOGGER).debug(message, *values)


def is_enabled() -> bool:
    """Return whether messages are kept: what takes many of them is asked for only then."""
    logging = sys.modules.get("logging")
    return logging is not None and logging.getLogger(LOGGER).isEnabledFor(logging.DEBUG)


def show() -> None:
    """Print the messages on standard error from here on, each with the seconds since the start."""
    import logging  # noqa: PLC0415

    logger = logging.getLogger(LOGGER)
    if logger.handlers:
        return
    handler = logging.StreamHandler()
    formatter = logging.Formatter("debug %(seconds)6.2f s  %(message)s")
    handler.setFormatter(formatter)
    handler.addFilter(_with_seconds)
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)


def _with_seconds(record: object) -> bool:
    vars(record)["seconds"] = vars(record)["relativeCreated"] / 1000
    return True
