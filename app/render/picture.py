"""Pictures without a window or a display: an OpenGL context by EGL, and PNG files by the standard library."""

import os
import struct
import zlib
from pathlib import Path

import moderngl
import numpy as np

from app.host.troubles import NoWindowError, offscreen_trouble
from app.render.camera import Camera
from app.render.look import Look
from app.render.renderer import HIGH, Quality, Renderer
from app.render.view import View, make_view
from scenes.writing.outputs import written


def make_offscreen_context() -> moderngl.Context:
    """Return an OpenGL 3.3 context without a window. Mesa's shader cache on disk is switched off: the thread that
    writes it has the lowest priority (nice 19), and a stopped program ends only when all of its threads have ended.
    While other programs were running, this took up to 12 s."""
    os.environ.setdefault("MESA_SHADER_CACHE_DISABLE", "true")
    try:
        return moderngl.create_context(standalone=True, backend="egl", require=330)  # type: ignore[arg-type]
    except Exception as error:
        raise NoWindowError(offscreen_trouble(error)) from error


class Studio:
    """A context, a renderer and a framebuffer, for any number of pictures of one look."""

    def __init__(self, look: Look, names: list[str], size: tuple[int, int], quality: Quality = HIGH):
        """Make a renderer without a window for pictures of `size` (width, height) in pixels."""
        self.size = size
        self.context = make_offscreen_context()
        self.renderer = Renderer(self.context, quality)
        self.renderer.set_look(look, names)
        self.renderer.show_joints = not look.skins
        self.colours = self.context.texture(size, 3)
        self.target = self.context.framebuffer(self.colours)

    def picture(self, view: View, camera: Camera) -> np.ndarray:
        """Return a picture: (height, width, 3) bytes."""
        self.renderer.draw(self.target, (0, 0, *self.size), view, camera)
        raw = np.frombuffer(self.target.read(components=3, alignment=1), "u1")
        return raw.reshape(self.size[1], self.size[0], 3)[::-1]

    def release(self) -> None:
        """Free everything on the graphics card."""
        self.renderer.release()
        self.target.release()
        self.colours.release()
        self.context.release()


def camera_on(look: Look, size: tuple[int, int]) -> Camera:
    """Return a camera with the first view of a scene."""
    camera = Camera(size=size)
    camera.frame(look.centre, look.radius)
    return camera


def render_picture(
    look: Look, names: list[str], poses: np.ndarray, size: tuple[int, int], camera: Camera | None = None
) -> np.ndarray:
    """Return one picture: (height, width, 3) bytes. `poses` (n, 7) are in the order of `names`."""
    studio = Studio(look, names, size)
    try:
        return studio.picture(make_view(poses, look), camera or camera_on(look, size))
    finally:
        studio.release()


def write_png(path: Path | str, picture: np.ndarray) -> None:
    """Write a picture (height, width, 3) as a PNG file."""
    with written(path) as file:
        file.write(png_bytes(picture))


def png_bytes(picture: np.ndarray) -> bytes:
    """Return the bytes of a PNG file with eight bits for red, green and blue. Each row is stored as its difference from
    the row above: filter 2 [the PNG specification]."""
    height, width, _ = picture.shape
    rows = np.full((height, 1 + 3 * width), 2, "u1")
    flat = picture.reshape(height, -1)
    rows[:, 1:] = flat
    rows[1:, 1:] -= flat[:-1]

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = zlib.compress(rows.tobytes(), 6)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b"")
