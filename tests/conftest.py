"""For all tests: pytest's own workers keep every processor busy, so a cold one compiles without a child."""

import os

os.environ.setdefault("MARIONETTE_COMPILE_ALONE", "1")
