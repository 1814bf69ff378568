"""Versions of software as people write them: 12.10 is newer than 12.9, and 2.26.2-1 is 2.26.2."""

import re


def is_at_least(version: str, least: str) -> bool:
    """Return whether a version is another one or newer; 570 is 570.0.

    Raises:
        ValueError: one of them does not begin with a number.
    """
    has, wants = _numbers(version), _numbers(least)
    return _pad_numbers(has, len(wants)) >= _pad_numbers(wants, len(has))


def is_of_line(version: str, line: str) -> bool:
    """Return whether a version belongs to a line: 2.7.1 to 2.7 and to 2, but 2.70 to neither.

    Raises:
        ValueError: one of them does not begin with a number.
    """
    wants = _numbers(line)
    return _pad_numbers(_numbers(version), len(wants))[: len(wants)] == wants


def major(version: str) -> str:
    """Return the major version: 12 of 12.8.

    Raises:
        ValueError: it does not begin with a number.
    """
    return str(_numbers(version)[0])


def minor_line(version: str) -> str:
    """Return the line of the minor version: 2.7 of 2.7.1, and 2.0 of 2.

    Raises:
        ValueError: it does not begin with a number.
    """
    numbers = _pad_numbers(_numbers(version), 2)
    return f"{numbers[0]}.{numbers[1]}"


def _numbers(version: str) -> tuple[int, ...]:
    match = re.match(r"\d+(?:\.\d+)*", version)
    if match is None:
        raise ValueError(f"{version!r} is not a version")
    return tuple(map(int, match[0].split(".")))


def _pad_numbers(numbers: tuple[int, ...], length: int) -> tuple[int, ...]:
    return (*numbers, *[0] * (length - len(numbers)))
