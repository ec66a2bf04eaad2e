"""`check_body` finds what is wrong with a body."""

import numpy as np

from andante.hardware import BodyState, check_body


def test_check_body_finds_what_is_wrong():
    class Careless:
        name, joint_names, ticks = "careless", ("a", "a"), 5.0

        def read(self):
            return BodyState(self.ticks, np.zeros(3), np.zeros(2), effort=np.zeros(2))

        def write(self, command):
            pass

        def stop(self):
            raise RuntimeError("no brakes")

        def close(self):
            pass

    failed = {each.name: each.message for each in check_body(Careless(), lambda seconds: None) if not each.passed}
    assert failed == {
        "names": "two joints have the same name",
        "reading": "position has shape (3,), not (2,)",
        "clock": "time goes from 5.0 to 5.0 s in 0.05 s",
        "unknown joint": "a joint that the body does not have is accepted without an error",
        "stopping": "RuntimeError: no brakes",
        "closing": "a closed body reports that it is healthy",
    }
    assert len(check_body(Careless(), lambda seconds: None, close=False)) == 6
