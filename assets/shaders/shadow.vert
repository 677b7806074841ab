uniform mat4 to_clip;
in vec4 shape; in vec3 at; in vec4 rotation; in vec4 size; in int body;
void main() {
    vec3 local = shape.xyz * size.xyz + vec3(0, 0, shape.w * size.w);
    gl_Position = to_clip * vec4(turn(rotation_of(body), turn(rotation, local) + at) + position_of(body).xyz, 1);
}
