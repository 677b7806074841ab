uniform mat4 to_clip; uniform vec3 eye; uniform float ground, scale;
in vec2 corner; out vec3 world;
void main() { world = vec3(corner * 40.0 * scale + eye.xy, ground); gl_Position = to_clip * vec4(world, 1); }
