"""Small pictures of the library's scenes, as `python -m tests.app.render.pictures` makes them, in one texture."""

import moderngl
from PIL import Image

from app.host.assets import asset

PICTURE, NAMES = asset("pictures/gallery.png"), asset("pictures/gallery.txt")
ACROSS = 4  # tiles in a row
TILE = (240, 150)  # pixels

Corner = tuple[float, float]


class Atlas:
    """The pictures of the scenes of the library, as tiles of one texture."""

    def __init__(self, context: moderngl.Context):
        """Read the picture of the atlas and upload it."""
        self.names = NAMES.read_text(encoding="utf-8").split()
        with Image.open(PICTURE) as image:
            self._size = image.size
            self.texture = context.texture(image.size, 3, image.convert("RGB").tobytes(), alignment=1)
        self.texture.filter = (moderngl.LINEAR, moderngl.LINEAR)

    @property
    def number(self) -> int:
        """Return the number by which OpenGL knows the texture."""
        return int(self.texture.glo)

    def corners(self, name: str) -> tuple[Corner, Corner] | None:
        """Return two opposite corners of a scene's picture, as shares of the size of the texture. Return None for a
        scene without a picture."""
        if name not in self.names:
            return None
        row, column = divmod(self.names.index(name), ACROSS)
        across, down = TILE[0] / self._size[0], TILE[1] / self._size[1]
        return (column * across, row * down), ((column + 1) * across, (row + 1) * down)

    def release(self) -> None:
        """Free the texture."""
        self.texture.release()
