"""A session without a window, whose stepper takes its turns in the test."""

from app.run.commands import ChangeGrab, Grab, Set
from app.run.stepper import Stepper
from app.ui.session import Session


class Desk:
    """A session without a window, whose stepper takes its turns in the test."""

    def __init__(self, folder, scene="hand"):
        self.now = 0.0
        self.session = Session(None, Stepper(now=lambda: self.now), folder)
        self.session.scenes.open(scene)
        self.go(0.1)

    def go(self, seconds=0.2, *requests):
        for request in requests:
            self.session.ask(request)
        for _ in range(max(1, round(seconds * 60))):
            self.now += 1 / 60
            while self.session.stepper.turn() == 0.0:
                pass
            self.session.update()

    def edit(self):
        """A value, a pin, and a grab that only the mouse holds."""
        names = self.session.snapshot.names
        points = {name: tuple(pose[:3].tolist()) for name, pose in zip(names, self.session.snapshot.poses, strict=True)}
        self.go(0.1, Set("settings.solver", "aba"), Grab(1, names[-1], points[names[-1]]), ChangeGrab(1, pinned=True))
        self.go(0.1, Grab(2, names[0], points[names[0]]))

    def kept(self):
        """Until a draft of the present state has been written."""
        for _ in range(4):
            self.session.drafts._asked = -1e9
            self.go(0.05)
            if self.session.drafts._writing is not None:
                self.session.drafts._writing.result()

    def crash(self):
        """The system gives back what a process holds that is killed."""
        self.kept()
        self.vanish()

    def vanish(self):
        own = self.session.drafts
        for lock in (own._lock, *(offer.lock for offer in own.offers)):
            if lock is not None:
                lock.release()

    def texts(self):
        return [message.text for message in self.session.messages]

    @property
    def offers(self):
        return self.session.drafts.offers
