"""What clouds refuse, in words: of several kinds together, and of how many machines there are."""

from gpuinfra.model import UNKNOWN, Unknown


def impossible(
    least: int | Unknown | None, most: int | Unknown | None
) -> tuple[str, ...] | Unknown:
    """Name what every cloud refuses: more machines at least than at most."""
    if isinstance(least, Unknown) or isinstance(most, Unknown):
        return UNKNOWN
    if least is None or most is None or least <= most:
        return ()
    return (f"at least {least} machines, and at most {most}: no number is both",)


def all_faults(*found: tuple[str, ...] | Unknown) -> tuple[str, ...] | Unknown:
    """Return all that is surely wrong, each once; UNKNOWN where only something may be."""
    certain = dict.fromkeys(
        words for one in found if not isinstance(one, Unknown) for words in one
    )
    return tuple(certain) or (UNKNOWN if UNKNOWN in found else ())
