"""The columns of the flat arrays of shapes. Row i belongs to shape i; a compound has one row for each of its parts."""

# kinds; a pair is always handled with the lower kind first
PLANE, SPHERE, CAPSULE, BOX, CYLINDER, HULL = range(6)

# ---------------------------------------------------------------- Geometry.whole, whole numbers
KIND = 0
OWNER = 1  # index of the body; -1 for the world, -2 - k for moving frame k, STILL - k for static body k
GROUP = 2  # number of its group
APART = 3  # bit g is set: never touches group g
FIRST_VERTEX = 4  # hulls: where their vertices, faces start, and how many they have
VERTICES = 5
FIRST_FACE = 6
FACES = 7
WHOLE = 8

# bodies that do not move are told apart by filters alone
STILL = -(1 << 20)

# ---------------------------------------------------------------- Geometry.real, real numbers
SIZE = 0  # 3: radius, half length; half sizes of a box
OFFSET = 3  # 3: origin of its frame in the body's frame, m
TURN = 6  # 9: rotation matrix from its frame to the body's
FRICTION = 15
RESTITUTION = 16
REACH = 17  # no point is farther from its origin, m (plane: infinite)
MIDDLE = 18  # 3: hulls: middle of the box around it, in its own frame
HALF = 21  # 3: hulls: half sizes of that box
REAL = 24

# ---------------------------------------------------------------- place: where a shape is in the world
ORIGIN = 0  # 3
AXES = 3  # 9: rotation matrix, its columns are the shape's axes
PLACE = 12
