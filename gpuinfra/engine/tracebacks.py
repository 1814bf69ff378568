"""Removal of Python tracebacks from messages of programs, packs and the engine."""

_HEAD = "Traceback (most recent call last):"


def without_tracebacks(text: str) -> str:
    """Return the text with a traceback cut to its last line, which has the exception.

    Pulumi writes an inline program's exception before its traceback and again at its end; it is
    left in once.
    """
    head, head_line, text_rest = text.partition(_HEAD)
    lines = [line.strip() for line in text_rest.splitlines() if line.strip()]
    if not head_line or not lines:
        return text
    message = lines[-1].partition(": ")[2]
    text_before = head.strip().removesuffix(message).rstrip()
    return f"{text_before} {lines[-1]}".strip()
