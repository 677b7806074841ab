"""A picture of 16 x 16 pixels without a window, read back and compared, for `marionette doctor`.

`python -m app.render.trial` prints as JSON what draws here, or why nothing can be drawn. It is a program of its own,
because a driver that is broken may end the process that draws.
"""

import json

from app.host.troubles import NoWindowError, offscreen_trouble

SIZE = 16
BLUE = 51
STEP = 17  # 0 to 255 in 16 steps: each is a whole number, whichever way the driver rounds
VERTICES = """#version 330 core
const vec2 corners[3] = vec2[](vec2(-1.0, -1.0), vec2(3.0, -1.0), vec2(-1.0, 3.0));
void main() { gl_Position = vec4(corners[gl_VertexID], 0.0, 1.0); }
"""
PIXELS = f"""#version 330 core
out vec4 colour;
void main() {{ colour = vec4(floor(gl_FragCoord.xy) * {STEP}.0, {BLUE}.0, 255.0) / 255.0; }}
"""


def try_to_draw() -> dict[str, str]:
    """Draw, read back and compare. Return the version of OpenGL and the name of what draws, and a sentence about the
    trouble, which is empty if the pixels are right."""
    found = {"opengl": "", "renderer": "", "trouble": ""}
    try:
        # imported here: these need libraries that may be missing
        from app.render.picture import make_offscreen_context

        context = make_offscreen_context()
        found |= {"opengl": context.info["GL_VERSION"], "renderer": context.info["GL_RENDERER"]}
        target = context.simple_framebuffer((SIZE, SIZE))
        target.use()
        context.vertex_array(context.program(VERTICES, PIXELS), []).render(vertices=3)
        pixels = target.read(components=3, alignment=1)
    except NoWindowError as error:
        return found | {"trouble": str(error)}
    except Exception as error:  # noqa: BLE001 - whatever a driver does
        return found | {"trouble": offscreen_trouble(error)}
    wanted = bytes(value for y in range(SIZE) for x in range(SIZE) for value in (STEP * x, STEP * y, BLUE))
    wrong = sum(a != b for a, b in zip(pixels, wanted, strict=True))
    if wrong:
        found["trouble"] = f"OpenGL draws wrong pixels ({wrong} of {len(wanted)} values); update the graphics driver"
    return found


if __name__ == "__main__":
    print(json.dumps(try_to_draw()))
