"""The scenes of the library: their folder, and their names."""

from pathlib import Path

LIBRARY = Path(__file__).resolve().parent.parent / "library"


def library_names() -> list[str]:
    """Return the names of the scenes of the library."""
    return sorted(path.stem for path in LIBRARY.glob("*.yaml"))
