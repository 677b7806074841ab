"""The program, which also writes down what can be seen of it after each tenth frame: end-to-end tests read it.

`python -m tests.helpers.app.watched FILE [SCENE]`
"""

import json
import os
import sys
from pathlib import Path

from app.ui.opening import make_window
from app.ui.window import run


def main(log, *scene):
    window = make_window(*scene)
    session = window.session
    path = Path(log)

    def write():
        snapshot = session.snapshot
        if snapshot is None or window.frames % 3:
            return False
        pixels = {
            name: session.camera.pixel(pose[:3]) for name, pose in zip(snapshot.names, snapshot.poses, strict=True)
        }
        x, y, _, _ = window.frame.ui.viewport
        state = {
            "tick": snapshot.tick,
            "paused": snapshot.paused,
            "name": snapshot.name,
            "solver": snapshot.values["settings.solver"],
            "stiff": snapshot.values["settings.stiff"],
            "time": snapshot.time,
            "past": snapshot.past,
            "gap": snapshot.gap,
            "error": session.scenes.error,
            "messages": [m.text for m in session.messages],
            "rects": window.frame.ui.widgets.rects,
            "places": {name: (p[0] + x, p[1] + y) for name, p in pixels.items() if p},
            "grabs": [[g.body, [float(v) for v in g.force], g.pinned] for g in snapshot.grabs],
            "frames": window.frames,
        }
        temporary = path.with_suffix(".new")
        temporary.write_text(json.dumps(state))
        os.replace(temporary, path)
        return False

    run(window, until=write)


if __name__ == "__main__":
    main(*sys.argv[1:])
