"""The pictures of the README, made by the program itself: `python -m tests.app.pictures` writes `assets/pictures`.

The window's picture comes from its own handlers and panels without a display; the gallery from the renderer alone.
"""

from pathlib import Path

import numpy as np

from app.gallery import names, open_scene
from app.render.atlas import ACROSS, TILE
from app.render.picture import Studio, camera_on, write_png
from app.render.renderer import HIGH
from app.render.view import make_view
from app.simulation import Simulation
from tests.app.conftest import make_hand

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "pictures"


def window_picture():
    """The hand with one finger pinned and another in hand."""
    hand = make_hand((1280, 720))
    session = hand.session
    hand.until(lambda: session.snapshot.tick > 200)
    for body, across, up in (("little3", -10, -60), ("index3", 25, -75)):
        x, y = hand.place_of(body)
        hand.move(x, y)
        hand.press()
        for share in (0.3, 0.6, 1.0):
            hand.move(x + share * across, y + share * up)
        tick = session.snapshot.tick
        hand.until(lambda tick=tick: session.snapshot.tick > tick + 200)
        if body == "little3":
            hand.key("enter")
            hand.release()
    hand.frames(10)
    renderer = hand.window.frame.renderer
    renderer.quality, renderer.size = HIGH, (0, 0)  # the last frame smooth, also where the processor draws
    # and without the rate of this machine, which draws by software
    hand.window.frame._last = 0.0
    session.frame_seconds.pop("frame", None)
    hand.frames(1)
    picture = hand.picture()
    hand.release()
    hand.window.close()
    return picture


def tile(name):
    opened = open_scene(name)
    simulation = Simulation(opened.scene.definitions, name, opened.scene.make_world)
    simulation.step(round(0.4 / simulation.world.timestep))
    size = (2 * TILE[0], 2 * TILE[1])
    studio = Studio(opened.look, simulation.names, size)
    camera = camera_on(opened.look, size)
    if opened.scene.camera is not None:
        camera.take(opened.scene.camera)
    picture = studio.picture(make_view(simulation.world.poses(), opened.look), camera).astype(float)
    studio.release()
    # half the size, four pixels into one: smoother than it was drawn
    return picture.reshape(TILE[1], 2, TILE[0], 2, 3).mean((1, 3)).round().astype("u1")


def gallery_picture():
    tiles = [tile(name) for name in names()]
    tiles += [np.full_like(tiles[0], 255)] * (-len(tiles) % ACROSS)
    return np.vstack([np.hstack(tiles[i : i + ACROSS]) for i in range(0, len(tiles), ACROSS)])


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    write_png(FOLDER / "window.png", window_picture())
    write_png(FOLDER / "gallery.png", gallery_picture())
    (FOLDER / "gallery.txt").write_text("\n".join(names()) + "\n")


if __name__ == "__main__":
    main()
