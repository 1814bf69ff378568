"""Takes Python's tracebacks out of what programs, packs and the engine say."""

_HEAD = "Traceback (most recent call last):"


def without(text: str) -> str:
    """The text with only the last line of a traceback in it, which says what was raised.

    Pulumi writes an inline program's exception before its traceback and again at its end; it is
    left in once.
    """
    head, head_line, rest = text.partition(_HEAD)
    lines = [line.strip() for line in rest.splitlines() if line.strip()]
    if not head_line or not lines:
        return text
    message = lines[-1].partition(": ")[2]
    before = head.strip().removesuffix(message).rstrip()
    return f"{before} {lines[-1]}".strip()
