"""The page on the protocol shows the tables that the code is made from."""

from pathlib import Path

import pytest

from andante.hardware import MESSAGES, VERSION
from andante.hardware.serial import car as parameters
from andante.hardware.serial.messages import table

PAGE = (Path(__file__).parents[3] / "docs" / "hardware.md").read_text()


@pytest.mark.parametrize(
    ("name", "rows"),
    [("messages", table(MESSAGES)), ("parameters", parameters.table())],
    ids=["messages", "parameters"],
)
def test_the_tables_of_the_page_are_those_of_the_code(name, rows):
    shown = PAGE.split(f"<!-- {name} -->\n")[1].split("<!-- end -->")[0]
    assert shown == rows


def test_the_page_names_the_version():
    assert f"## The protocol, version {VERSION}\n" in PAGE
