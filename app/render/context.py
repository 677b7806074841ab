"""The OpenGL context of an existing window: a renderer for it, and its picture."""

from typing import Any

import moderngl
import numpy as np

from app.render.renderer import Renderer


def attach() -> Renderer:
    """Return a renderer for the current context, which must have OpenGL 3.3."""
    context = moderngl.create_context(require=330)
    return Renderer(context)


def screen_of(renderer: Renderer) -> Any:
    """Return the framebuffer of the window."""
    return renderer.context.screen


def read_screen(framebuffer: Any, size: tuple[int, int]) -> np.ndarray:
    """Return the last picture: (height, width, 3) bytes."""
    raw = framebuffer.read((0, 0, *size), components=3, alignment=1)
    return np.frombuffer(raw, "u1").reshape(size[1], size[0], 3)[::-1]
