"""The depth of two overlapping cores A and B: the smallest distance from the origin to the surface of A - B, the set of
all differences of their points. A polytope inside this set grows where its surface is nearest to the origin [Bergen01].

In every direction n, h(n) = max n . w over all points w of A - B is an upper bound of the depth. The result is the
smallest such bound that was found, so that an early stop only makes it less accurate. At the start, the origin may be
slightly outside the polytope. The depth may then be negative."""

from physics.collision.workspace import MOST_FACES, MOST_VERTICES
from physics.collision.support import fill_point
from physics.compiler.jit import inline, kernel
from physics.data.contact_tables import Simplex
from physics.maths.vec import add, cross, dot, load3, negative, norm, scale, store3, sub

# The polytope has reached the surface where a support point lies above a face by less than this share of the size.
REACHED = 1e-13
# Triangles that are nearest to the origin but for this share of the size may hold its foot.
LEVEL = 1e-9
# Triangles of a smaller height than this share of the size have no direction.
THIN = 1e-12


@kernel
def penetrate(g, i, j, r, p, room, n):
    """Find the depth of two overlapping cores. Start with the simplex of n points that `gjk.separate` left in `room`.
    Return whether a depth was found, the unit vector along which B leaves A in the shortest distance, this distance
    (the depth) [m], and the deepest points of A and of B."""
    size = 0.0
    for k in range(n):
        size = max(size, norm(load3(room.point, k, Simplex.W)))
    direction = (0.0, 0.0, 1.0)
    deepest = 0.0
    a = (0.0, 0.0, 0.0)
    b = (0.0, 0.0, 0.0)
    if not _fill_tetrahedron(g, i, j, r, p, room, n):
        return False, direction, deepest, a, b
    for k in range(4):
        size = max(size, norm(load3(room.point, k, Simplex.W)))
    faces, good = _fill_first_faces(room, size)
    if not good:
        # the simplex is flat: a tetrahedron as wide as can be, from one of its points
        if not _fill_tetrahedron(g, i, j, r, p, room, 1):
            return False, direction, deepest, a, b
        faces, good = _fill_first_faces(room, size)
        if not good:
            return False, direction, deepest, a, b
    found = False
    vertices = 4
    free = 0
    while True:
        best = -1
        for f in range(faces):
            if room.alive[f] == 1 and (best < 0 or room.face[f, 3] < room.face[best, 3]):
                best = f
        normal = load3(room.face, best, 0)
        fill_point(g, i, j, r, p, normal, room, vertices)
        w = load3(room.point, vertices, Simplex.W)
        height = dot(normal, w)
        if not found or height < deepest:
            found = True
            deepest = height
            direction = normal
            a, b = _deepest_points(room, best)
        good = height - room.face[best, 3] > REACHED * size and vertices + 1 < MOST_VERTICES
        if good:
            faces, free, good = _grow(room, best, vertices, faces, free, size)
        if not good:
            a, b = _opposite_points(room, faces, deepest + LEVEL * size, direction, deepest, a, b)
            return True, direction, deepest, a, b
        vertices += 1


@kernel
def _fill_tetrahedron(g, i, j, r, p, room, n):
    """Complete the simplex of n points in `room` to four points that span a volume. Return whether this is possible."""
    if n == 4:
        return True
    if n == 1:
        first = load3(room.point, 0, Simplex.W)
        most = 0.0
        best = (1.0, 0.0, 0.0)
        for k in range(6):
            s = 1.0 if k < 3 else -1.0
            d = (s if k % 3 == 0 else 0.0, s if k % 3 == 1 else 0.0, s if k % 3 == 2 else 0.0)
            fill_point(g, i, j, r, p, d, room, 1)
            away = norm(sub(load3(room.point, 1, Simplex.W), first))
            if away > most:
                most = away
                best = d
        if most == 0.0:
            return False
        fill_point(g, i, j, r, p, best, room, 1)
        n = 2
    if n == 2:
        first = load3(room.point, 0, Simplex.W)
        e = sub(load3(room.point, 1, Simplex.W), first)
        u = across(e)
        t = cross(e, u)
        t = scale(1.0 / norm(t), t)
        most = 0.0
        best = u
        for k in range(6):
            # six directions about the edge: cosines and sines of multiples of 60 degrees
            c = 1.0 if k == 0 else (-1.0 if k == 3 else (0.5 if k == 1 or k == 5 else -0.5))
            s = 0.0 if k == 0 or k == 3 else (0.8660254037844386 if k < 3 else -0.8660254037844386)
            d = add(scale(c, u), scale(s, t))
            fill_point(g, i, j, r, p, d, room, 2)
            away = norm(cross(e, sub(load3(room.point, 2, Simplex.W), first)))
            if away > most:
                most = away
                best = d
        if most <= THIN * dot(e, e):
            return False
        fill_point(g, i, j, r, p, best, room, 2)
    first = load3(room.point, 0, Simplex.W)
    normal = cross(sub(load3(room.point, 1, Simplex.W), first), sub(load3(room.point, 2, Simplex.W), first))
    if norm(normal) == 0.0:
        return False
    fill_point(g, i, j, r, p, normal, room, 3)
    up = dot(normal, sub(load3(room.point, 3, Simplex.W), first))
    fill_point(g, i, j, r, p, negative(normal), room, 3)
    down = -dot(normal, sub(load3(room.point, 3, Simplex.W), first))
    if up > down:
        fill_point(g, i, j, r, p, normal, room, 3)
    return max(up, down) > 0.0


@inline
def across(e):
    """Return a unit vector perpendicular to e."""
    x, y, z = abs(e[0]), abs(e[1]), abs(e[2])
    if x <= y and x <= z:
        u = (0.0, -e[2], e[1])
    elif y <= z:
        u = (-e[2], 0.0, e[0])
    else:
        u = (-e[1], e[0], 0.0)
    return scale(1.0 / norm(u), u)


@kernel
def _fill_first_faces(room, size):
    """Write the four faces of the tetrahedron, and which faces are neighbours, to rows 0 to 3. Return the number of
    faces, and whether every face has a normal."""
    a = load3(room.point, 0, Simplex.W)
    n = cross(sub(load3(room.point, 1, Simplex.W), a), sub(load3(room.point, 2, Simplex.W), a))
    if dot(n, sub(load3(room.point, 3, Simplex.W), a)) > 0.0:
        # make 0 1 2 anticlockwise seen from outside
        for c in range(9):
            room.point[1, c], room.point[2, c] = room.point[2, c], room.point[1, c]
    good = _fill_face(room, 0, 0, 1, 2, size)
    good = _fill_face(room, 1, 0, 3, 1, size) and good
    good = _fill_face(room, 2, 1, 3, 2, size) and good
    good = _fill_face(room, 3, 2, 3, 0, size) and good
    _join(room, 0, 0, 1, 2)
    _join(room, 0, 1, 2, 2)
    _join(room, 0, 2, 3, 2)
    _join(room, 1, 1, 2, 0)
    _join(room, 2, 1, 3, 0)
    _join(room, 3, 1, 1, 0)
    return 4, good


@kernel
def _fill_face(room, f, i, j, k, size):
    """Write the vertices i, j, k of face f, its outward normal, its distance from the origin, and whether it is alive.
    Return whether it has a normal."""
    room.corners[f, 0] = i
    room.corners[f, 1] = j
    room.corners[f, 2] = k
    room.alive[f] = 0
    a = load3(room.point, i, Simplex.W)
    b = load3(room.point, j, Simplex.W)
    c = load3(room.point, k, Simplex.W)
    ab = sub(b, a)
    ac = sub(c, a)
    n = cross(ab, ac)
    area = norm(n)
    if area <= THIN * size * max(norm(ab), norm(ac)):
        return False
    n = scale(1.0 / area, n)
    store3(room.face, f, 0, n)
    # the mean of three products that differ by rounding only
    room.face[f, 3] = (dot(n, a) + dot(n, b) + dot(n, c)) / 3.0
    room.alive[f] = 1
    return True


@inline
def _join(room, f, e, g, h):
    """Write that edge e of face f is edge h of face g, in `room.across` and `room.edge` of both."""
    room.across[f, e] = g
    room.edge[f, e] = h
    room.across[g, h] = f
    room.edge[g, h] = e


@kernel
def _grow(room, start, vertex, faces, free, size):
    """Remove the faces whose outer side faces `vertex`, and close the hole by faces from `vertex` to the rim of the
    hole. Return the number of rows of faces, the number of free rows among them, and whether this succeeded: the
    surface is closed, and no face is degenerate."""
    w = load3(room.point, vertex, Simplex.W)
    room.alive[start] = 0
    room.free[free] = start
    free += 1
    count = 0
    depth = 0
    for e in range(2, -1, -1):
        room.stack[depth, 0] = room.across[start, e]
        room.stack[depth, 1] = room.edge[start, e]
        depth += 1
    while depth > 0:
        depth -= 1
        f = room.stack[depth, 0]
        e = room.stack[depth, 1]
        if room.alive[f] == 0:
            continue
        if dot(load3(room.face, f, 0), w) - room.face[f, 3] <= 0.1 * REACHED * size:
            room.rim[count, 0] = f
            room.rim[count, 1] = e
            count += 1
            continue
        room.alive[f] = 0
        room.free[free] = f
        free += 1
        if depth + 2 > MOST_FACES:
            return faces, free, False
        for step in range(2, 0, -1):
            k = (e + step) % 3
            room.stack[depth, 0] = room.across[f, k]
            room.stack[depth, 1] = room.edge[f, k]
            depth += 1
    if count < 3 or faces + max(0, count - free) > MOST_FACES:
        return faces, free, False
    first = -1
    last = -1
    for k in range(count):
        if free > 0:
            free -= 1
            f = room.free[free]
        else:
            f = faces
            faces += 1
        g = room.rim[k, 0]
        e = room.rim[k, 1]
        # the edge runs the other way in the new face
        if not _fill_face(room, f, room.corners[g, (e + 1) % 3], room.corners[g, e], vertex, size):
            return faces, free, False
        _join(room, f, 0, g, e)
        if k == 0:
            first = f
        else:
            if room.corners[f, 0] != room.corners[last, 1]:
                return faces, free, False
            _join(room, f, 2, last, 1)
        last = f
    if room.corners[first, 0] != room.corners[last, 1]:
        return faces, free, False
    _join(room, first, 2, last, 1)
    return faces, free, True


@kernel
def _deepest_points(room, f):
    """Return the points of A and B whose difference is the point of face f nearest to the origin (its foot)."""
    i = room.corners[f, 0]
    j = room.corners[f, 1]
    k = room.corners[f, 2]
    n = load3(room.face, f, 0)
    foot = scale(room.face[f, 3], n)
    p = sub(load3(room.point, i, Simplex.W), foot)
    q = sub(load3(room.point, j, Simplex.W), foot)
    s = sub(load3(room.point, k, Simplex.W), foot)
    x = max(0.0, dot(n, cross(q, s)))
    y = max(0.0, dot(n, cross(s, p)))
    z = max(0.0, dot(n, cross(p, q)))
    c = 1.0 / (x + y + z)
    x, y, z = c * x, c * y, c * z
    a = add(
        add(scale(x, load3(room.point, i, Simplex.A)), scale(y, load3(room.point, j, Simplex.A))),
        scale(z, load3(room.point, k, Simplex.A)),
    )
    b = add(
        add(scale(x, load3(room.point, i, Simplex.B)), scale(y, load3(room.point, j, Simplex.B))),
        scale(z, load3(room.point, k, Simplex.B)),
    )
    return a, b


@kernel
def _opposite_points(room, faces, limit, n, depth, a, b):
    """Return the points of A and B whose difference is nearest to `depth` times n. The candidates are a and b, and the
    points that `_deepest_points` finds for each face no farther than `limit` [m]. The result belongs to the face that
    contains the foot of the origin."""
    d = sub(sub(a, b), scale(depth, n))
    least = dot(d, d)
    for f in range(faces):
        if room.alive[f] == 1 and room.face[f, 3] <= limit:
            x, y = _deepest_points(room, f)
            d = sub(sub(x, y), scale(depth, n))
            if dot(d, d) < least:
                least = dot(d, d)
                a = x
                b = y
    return a, b
