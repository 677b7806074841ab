in vec2 corner; out vec2 at;
void main() { at = corner; gl_Position = vec4(corner, 0.9999999, 1); }
