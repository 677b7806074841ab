"""`marionette render`: a picture or film of a scene without a display, by the renderer and camera of the window."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from app.host.progress import progress
from app.host.troubles import NoWindowError, offscreen_trouble

PICTURES, FILMS = (".png",), (".mp4", ".gif")
RATE = 30  # pictures a second


def render_scene(
    source: str, out: Path, seconds: float = 0.0, size: tuple[int, int] = (1280, 720), assignments: Sequence[str] = ()
) -> int:
    """Write the state after `seconds` [s] as a PNG file, or the motion until then as a film. Return the number of
    pictures. Raise a NoWindowError if the machine lacks something, a SceneError for the scene, and an OSError if the
    file could not be written."""
    try:
        # imported here: these need libraries that may be missing
        from app.cli.simulate import compiling
        from app.render.film import write_film
        from app.render.picture import Studio, camera_on, write_png
        from app.render.view import make_view, shares
        from app.run.simulation import Simulation
        from app.ui.gallery import open_scene
    except ImportError as error:
        raise NoWindowError(offscreen_trouble(error)) from error
    opened = open_scene(source, assignments)
    simulation = Simulation(opened.scene.definitions, opened.scene.name, opened.scene.make_world)
    studio = Studio(opened.look, simulation.names, size)
    camera = camera_on(opened.look, size)
    weights = shares(opened.scene.definitions, simulation.names)
    if opened.scene.camera is not None:
        camera.take(opened.scene.camera)
        if opened.scene.camera.follow:
            camera.go_along(weights @ simulation.world.poses()[:, :3])

    def picture() -> np.ndarray:
        poses = simulation.world.poses()
        if opened.scene.camera is not None and opened.scene.camera.follow:
            camera.go_along(weights @ poses[:, :3])
        return studio.picture(make_view(poses, opened.look), camera)

    world, film = simulation.world, out.suffix.lower() in FILMS
    count = max(1, round(seconds * RATE)) if film else 1

    def steps_until(number: int) -> int:
        """Return the number of steps from the start to picture `number`."""
        return round((number / RATE if film else seconds) / world.timestep)

    def pictures() -> Iterator[np.ndarray]:
        for number in range(count):
            simulation.step(max(0, steps_until(number) - world.steps))
            yield picture()

    try:
        world.step(0, progress=compiling())  # no part of the time
        with progress(steps_until(count - 1), lambda: world.steps):
            if film:
                return write_film(out, pictures(), RATE)
            write_png(out, next(pictures()))
            return count
    finally:
        studio.release()
