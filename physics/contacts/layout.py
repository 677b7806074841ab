"""The columns of the arrays of contacts. Row k is one contact point."""

# ---------------------------------------------------------------- Contacts.who, whole numbers
BODY_A = 0  # index of the body that the normal pushes; never the world
BODY_B = 1  # the other one, -1 for the world
SHAPE_A = 2  # rows of the geometry
SHAPE_B = 3
FEATURE = 4  # which corners and edges meet: the same from step to step while the same ones do
WHO = 5

# ---------------------------------------------------------------- Contacts.where, real numbers
POINT = 0  # 3: half way between the two surfaces, world, m
NORMAL = 3  # 3: from b to a
GAP = 6  # distance of the surfaces along the normal, negative where they overlap, m
FRICTION = 7  # of the pair
RESTITUTION = 8
WHERE = 9

# ---------------------------------------------------------------- Contacts.tally, whole numbers
CONTACTS = 0  # how many there are
PAIRS = 1  # how many pairs the broad phase holds
REBUILDS = 2  # how often it has been built anew
COUNTS = 3

# what kernels return: DONE, or which array was too small (its count says how much is needed)
DONE, MORE_PAIRS, MORE_CONTACTS = range(3)
