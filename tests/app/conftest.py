"""Tests of the window are skipped without the libraries that it asks for."""

import pytest

from tests.helpers.app.window import MISSING

# test files that draw, or open a window
DRAWN = {f"test_{name}.py" for name in ("window", "window_mouse", "render", "end_to_end", "frame", "violence")}


def pytest_collection_modifyitems(items):
    """Without the libraries that the window itself asks for, its tests cannot be run."""
    if not MISSING:
        return
    reason = f"no lib{', lib'.join(MISSING)}: apt-get install libgl1 libegl1 libx11-6 libxrender1"
    for item in items:
        if item.path.name in DRAWN:
            item.add_marker(pytest.mark.skip(reason=reason))
