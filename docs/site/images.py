"""Writes docs/images: terminals as SVG, and the report as a browser shows it, where there is one.

`make images` runs it. `--terminals` writes the terminals alone, which need no browser.
"""

import os
import pty
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

ROOT: Final = Path(__file__).parents[2]
FOLDER: Final = ROOT / "docs" / "images"
DAY: Final = "2026-11-23"
"""The day of the transcripts in the docs."""

TERMINALS: Final = {
    "check-80": (80, ("check", "stacks/development")),
    "cost-120": (120, ("cost", "stacks/quickstart")),
}
"""Name: columns, and the command."""

BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome")
STACK: Final = "stacks/training"
SHOTS: Final = {
    "report-light": (1100, 1540, "1"),
    "report-dark": (1100, 1720, "0"),
    "report-phone": (390, 1700, "1"),
}
"""Name: width, height, and Chromium's number of the light or dark style."""

FRAME: Final = """\
<!doctype html><meta charset="utf-8"><body style="margin: 0">
<iframe style="border: 0; width: {width}px; height: {height}px" src="{page}"></iframe>
"""
"""A frame of the exact width: a window of Chromium is never narrower than 500 pixels."""


def terminal(columns: int, command: tuple[str, ...], title: str) -> str:
    """The SVG of what a command prints on a terminal of so many columns."""
    console = Console(
        record=True, width=columns, file=StringIO(), force_terminal=True, legacy_windows=False
    )
    console.print(Text.from_ansi(printed(columns, *command)), end="", soft_wrap=False)
    shown = " ".join(("gpuinfra", *command))
    svg = console.export_svg(title=f"$ {shown}", theme=MONOKAI, unique_id=title)
    fetched = re.compile(r"\s*@font-face \{.*?\n\s*\}", re.DOTALL)  # a page fetches nothing
    return fetched.sub("", svg).replace("Fira Code", "monospace") + "\n"


def printed(columns: int, *command: str) -> str:
    """What a command of gpuinfra prints on a terminal of so many columns, with its colours."""
    leader, follower = pty.openpty()
    environment = {**os.environ, "COLUMNS": str(columns), "TERM": "xterm-256color"}
    environment.pop("NO_COLOR", None)
    with subprocess.Popen(
        [sys.executable, "-m", "gpuinfra.cli", *command, "--as-of", DAY],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=follower,
        stderr=subprocess.DEVNULL,
    ):
        os.close(follower)
        return b"".join(_read(leader)).decode().replace("\r\n", "\n")


def _read(leader: int) -> Iterator[bytes]:
    with os.fdopen(leader, "rb", buffering=0) as terminal_:
        while True:
            try:
                data = terminal_.read(65_536)
            except OSError:  # Linux says so once the other side is closed
                return
            if not data:
                return
            yield data


def shots(browser: str) -> None:
    """Write the pictures of the report, in light and dark style and at a phone's width."""
    with TemporaryDirectory() as made:
        page, frame = Path(made, "report.html"), Path(made, "frame.html")
        subprocess.run(
            [
                *(sys.executable, "-m", "gpuinfra.cli", "report", STACK),
                *("--as-of", DAY, "--output", str(page)),
            ],
            cwd=ROOT,
            check=True,
        )
        for name, (width, height, style) in SHOTS.items():
            frame.write_text(FRAME.format(width=width, height=height, page=page.name), "utf-8")
            subprocess.run(
                [
                    *(browser, "--headless", "--no-sandbox", "--disable-gpu"),
                    *("--hide-scrollbars", f"--window-size={width},{height}"),
                    *("--virtual-time-budget=5000", f"--user-data-dir={Path(made, 'profile')}"),
                    f"--blink-settings=preferredColorScheme={style}",
                    *(f"--screenshot={FOLDER / name}.png", frame.as_uri()),
                ],
                check=True,
                stderr=subprocess.DEVNULL,
            )


def main() -> None:
    """Write all images that can be made here."""
    for name, (columns, command) in TERMINALS.items():
        (FOLDER / f"{name}.svg").write_text(terminal(columns, command, name), encoding="utf-8")
    if "--terminals" in sys.argv:
        return
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        sys.stderr.write(f"the report's pictures stay: no browser ({', '.join(BROWSERS)})\n")
        return
    shots(browser)


if __name__ == "__main__":
    main()
