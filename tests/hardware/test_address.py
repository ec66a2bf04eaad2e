import subprocess
import sys

import pytest

from andante.errors import BadInput
from andante.hardware.address import SIMULATED, check_address


@pytest.mark.parametrize("address", [SIMULATED, "ws://robot:9090", "http://robot:11311", "serial:COM5", "mine.py:Arm"])
def test_addresses_are_taken(address: str) -> None:
    check_address(address)


@pytest.mark.parametrize(("address", "words"), [("robot", "no body 'robot'; choices: sim"), ("serial:", "serial:COM5")])
def test_what_is_no_address_is_refused(address: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        check_address(address)


def test_addresses_load_no_hardware() -> None:
    code = "import sys, andante.hardware.address; print([m for m in ('numpy', 'numba', 'serial') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
