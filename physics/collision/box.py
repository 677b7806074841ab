"""Box: size = half sizes along x, y, z. Corner k lies at +size where bit 0, 1, 2 of k is set."""

from physics.compiler.jit import inline


@inline
def support(size, d):
    """Returns the point farthest along d, in the shape's frame."""
    return (
        size[0] if d[0] >= 0.0 else -size[0],
        size[1] if d[1] >= 0.0 else -size[1],
        size[2] if d[2] >= 0.0 else -size[2],
    )


@inline
def half_extents(size, axes):
    """Returns the half sizes along the world's axes of a box around the shape; `axes` is its 3x3 rotation matrix."""
    return (
        abs(axes[0]) * size[0] + abs(axes[1]) * size[1] + abs(axes[2]) * size[2],
        abs(axes[3]) * size[0] + abs(axes[4]) * size[1] + abs(axes[5]) * size[2],
        abs(axes[6]) * size[0] + abs(axes[7]) * size[1] + abs(axes[8]) * size[2],
    )


def moments(size):
    """Returns the volume, and the principal moments of inertia at density 1."""
    x, y, z = size
    volume = 8.0 * x * y * z
    return volume, tuple(volume / 3.0 * s for s in (y * y + z * z, z * z + x * x, x * x + y * y))
