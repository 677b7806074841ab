"""The program: command line, window and pictures."""

__version__ = "0.1.0"  # of the whole package; pyproject.toml reads it
