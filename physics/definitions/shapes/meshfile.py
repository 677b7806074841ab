"""The points of a mesh file: .obj (lines `v x y z`), or .stl as text or binary. The faces are not read, because a
convex hull does not need them."""

from pathlib import Path

import numpy as np

from physics.data.model import Floats
from physics.definitions.checks import DefinitionError

# binary STL: 80 bytes of header, the number of triangles, then 50 bytes each: normal, three vertices, two bytes
TRIANGLE = np.dtype([("normal", "<f4", 3), ("vertices", "<f4", (3, 3)), ("extra", "<u2")])
HEADER = 84


def read_points(path: str | Path) -> Floats:
    """Return the points (n, 3) of a mesh file, or refuse the file."""
    path = Path(path)
    if path.suffix.lower() not in (".obj", ".stl"):
        raise DefinitionError("mesh file", str(path), "a file that ends in .obj or .stl")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DefinitionError("mesh file", str(path), f"a file that can be read ({error.strerror})") from None
    if path.suffix.lower() == ".obj":
        points = _points_of_lines(path, data, "v")
    elif _is_binary(data):
        points = np.frombuffer(data, TRIANGLE, offset=HEADER)["vertices"].reshape(-1, 3).astype(np.float64)
    else:
        points = _points_of_lines(path, data, "vertex")
    if len(points) == 0:
        raise DefinitionError("mesh file", str(path), "a file with vertices")
    if not np.isfinite(points).all():
        raise DefinitionError("mesh file", str(path), "finite coordinates")
    return points


def _is_binary(data: bytes) -> bool:
    """Return whether an .stl file is binary. The length of the file decides, because some binary files begin with the
    word `solid`, as text files do."""
    return len(data) >= HEADER and len(data) == HEADER + TRIANGLE.itemsize * int.from_bytes(data[80:84], "little")


def _points_of_lines(path: Path, data: bytes, keyword: str) -> Floats:
    """Return the points of the lines that begin with `keyword`. Refuse such a line if it does not have three
    numbers."""
    points = []
    for count, line in enumerate(data.decode("utf-8", errors="replace").splitlines(), 1):
        words = line.split()
        if not words or words[0] != keyword:
            continue
        try:
            points.append([float(words[1]), float(words[2]), float(words[3])])
        except (IndexError, ValueError):
            raise DefinitionError(f"{path}, line {count}", line.strip(), f"`{keyword}` and three numbers") from None
    return np.array(points, dtype=np.float64).reshape(-1, 3)
