// What vertex shaders share: rotation, and the pose of a body from the pose texture (two texels a body).
uniform sampler2D poses;
const int BODIES_IN_A_ROW = 512;

vec3 turn(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }

ivec2 place_of(int body) { return ivec2(2 * (body % BODIES_IN_A_ROW), body / BODIES_IN_A_ROW); }
// xyz: position, w: mark (0 plain, 0.5 asleep, 1 under the mouse, 2 selected, 3 held, negative: culprit)
vec4 position_of(int body) { return texelFetch(poses, place_of(body), 0); }
vec4 rotation_of(int body) { return texelFetch(poses, place_of(body) + ivec2(1, 0), 0); }
