// The finished picture into its place in the window, a little darker toward the corners.
uniform sampler2D picture;
in vec2 at; out vec4 shown;
void main() { vec2 q = at - 0.5; shown = vec4(texture(picture, at).rgb * (1.0 - 0.28 * dot(q, q)), 1); }
