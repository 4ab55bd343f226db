"""Takes the pictures of the example board for the documentation: ``python -m examples.board.screenshots BOARD_DIR``.

`BOARD_DIR` is what ``python -m examples.board.make --out BOARD_DIR`` wrote. Needs Chromium.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.support.browser import browser_tab

IMAGES = Path(__file__).parents[2] / "docs" / "images"


def main() -> int:
    """Write the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("board", type=Path)
    board = parser.parse_args().board
    IMAGES.mkdir(parents=True, exist_ok=True)
    with browser_tab() as tab:
        for name, width, height, scale, dark in (
            ("board-desktop", 1200, 1520, 1.0, False),
            ("board-dark", 1200, 1520, 1.0, True),
            ("board-phone", 390, 1500, 2.0, False),
        ):
            tab.resize(width, height, scale=scale, phone=width < 500, dark=dark)
            tab.open(board / "board.html")
            tab.screenshot(IMAGES / f"{name}.png")
        tab.resize(1000, 1250)
        index = next(board.glob("audit/lumen-deep*/index.html"))
        tab.open(index)
        passed = tab.evaluate("[...document.querySelectorAll('td a')].find(a => a.innerText === 'passed').pathname")
        tab.open(Path(passed))
        tab.screenshot(IMAGES / "board-audit.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
