"""For all tests: pytest's own workers keep every processor busy, so a cold one compiles without a child, and LAPACK
counts on one processor: threads that wait for each other take up the time of many small factors."""

import os

os.environ.setdefault("MARIONETTE_COMPILE_ALONE", "1")
# read when numpy and scipy are loaded, so here, before any test is
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
