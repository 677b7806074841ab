"""The program makes the pictures of the README itself: `python -m tests.app.render.pictures` writes `assets/pictures`.

The window's picture comes from its own handlers and panels without a display; the gallery from the renderer alone.
"""

import math
from pathlib import Path

import numpy as np

from app.render.atlas import ACROSS, TILE
from app.render.picture import Studio, camera_on, write_png
from app.render.renderer import HIGH
from physics.maths.rotations import quaternion_product
from app.render.view import make_view
from app.run.simulation import Simulation
from app.ui.gallery import names, open_scene
from tests.helpers.app.window import make_hand

FOLDER = Path(__file__).resolve().parents[3] / "assets" / "pictures"


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


def hand_picture(side=480):
    """The hand from its back, from its palm and from the side; turned over, so that light falls on what is seen."""
    opened = open_scene("hand")
    simulation = Simulation(opened.scene.definitions, "hand", opened.scene.make_world)
    simulation.step(240)
    studio = Studio(opened.look, simulation.names, (side, side))
    studio.renderer.show_ground = False
    views = []
    for over, azimuth, elevation in ((False, 180.0, 75.0), (True, 180.0, 75.0), (False, 80.0, 12.0)):
        poses, camera = simulation.world.poses(), camera_on(opened.look, (side, side))
        if over:  # half a turn about x
            poses[:, 1:3] *= -1.0
            poses[:, 3:7] = [quaternion_product(np.array([0.0, 1.0, 0.0, 0.0]), q) for q in poses[:, 3:7]]
            camera.target[1:] *= -1.0
        camera.azimuth, camera.elevation = math.radians(azimuth), math.radians(elevation)
        views.append(studio.picture(make_view(poses, opened.look), camera))
    studio.release()
    return np.hstack(views)


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    write_png(FOLDER / "window.png", window_picture())
    write_png(FOLDER / "hand.png", hand_picture())
    write_png(FOLDER / "gallery.png", gallery_picture())
    (FOLDER / "gallery.txt").write_text("\n".join(names()) + "\n")


if __name__ == "__main__":
    main()
