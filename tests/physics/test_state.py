"""What contacts are told in."""

import numba
import numpy as np

from andante.physics import Contacts


def test_one_contact_is_told_as_many_are():
    """A kernel is compiled for the layout of its arrays; parts of a single row have another one than of several."""
    kinds = set()
    for count in (0, 1, 2, 5):
        who, what = np.arange(4 * count).reshape(count, 4), np.arange(10.0 * count).reshape(count, 10)
        contacts = Contacts.of_rows(who, what)
        kinds.add(tuple(str(numba.typeof(getattr(contacts, name))) for name in Contacts.__dataclass_fields__))
        assert np.array_equal(contacts.link_b, who[:, 3])
        assert np.array_equal(contacts.force, what[:, 6:9])
    assert len(kinds) == 1
