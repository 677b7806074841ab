// A segment with a width in pixels at each end; widths that differ make an arrow head.
uniform mat4 to_clip; uniform vec2 pixels;
in vec2 corner; in vec3 start; in vec3 end; in vec2 widths; in vec4 colour;
out vec4 tint;
void main() {
    vec4 a = to_clip * vec4(start, 1), b = to_clip * vec4(end, 1);
    float near = 1e-3;     // cut at the eye, or the segment would turn over
    if (a.w < near && b.w >= near) a = mix(a, b, (near - a.w) / (b.w - a.w));
    if (b.w < near && a.w >= near) b = mix(b, a, (near - b.w) / (a.w - b.w));
    vec2 d = (b.xy / b.w - a.xy / a.w) * pixels;
    d = dot(d, d) > 1e-12 ? normalize(d) : vec2(1, 0);
    bool at_end = corner.x > 0.0;
    vec4 p = at_end ? b : a;
    p.xy += vec2(-d.y, d.x) * corner.y * (at_end ? widths.y : widths.x) / pixels * p.w;
    tint = colour;
    gl_Position = p.w < near ? vec4(2, 2, 2, 1) : p;
}
