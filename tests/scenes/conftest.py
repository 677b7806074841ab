"""The texts are timed by themselves: what other tests of this process have left in memory is not searched for garbage
meanwhile, which can take a second where kernels have been compiled."""

import gc

import pytest


@pytest.fixture(autouse=True)
def nothing_to_search():
    gc.freeze()
    yield
    gc.unfreeze()
