"""Requests and answers of a Pozyx tag, byte by byte."""

import struct

import pytest

from andante.hardware.pozyx import Answers, Ranged, function_request, ranged, read_request
from andante.hardware.pozyx.protocol import anchor_parameters


def test_requests_are_lines_of_text():
    assert read_request(0x00) == b"R,00,1\r"
    assert function_request(0xB5, anchor_parameters(0x6902)) == b"F,b5,0269,1\r"
    assert function_request(0xC7, anchor_parameters(0x6E7A), 10) == b"F,c7,7a6e,11\r"


def test_an_answer_may_come_in_pieces_between_rubbish():
    answers = Answers()
    assert answers.feed(b"D,4") == []
    assert answers.feed(b"3\r\nno answer\r\nD,0102\r\nD,0") == [b"\x43", b"\x01\x02"]
    assert answers.rubbish == len(b"no answer\r\n")
    assert answers.feed(b"xyz\r\nD,\r\n") == [b""]
    answers.feed(bytes(range(32, 127)) * 20)
    assert answers.feed(b"\r\nD,01\r\n")[-1:] == [b"\x01"]


def test_what_an_answer_tells():
    told = b"\x01" + struct.pack("<IIh", 5000, 2345, -77)
    assert ranged(told) == Ranged(5000, pytest.approx(2.345), -77)
    assert ranged(b"\x00" + told[1:]) is None
    assert ranged(told[:-1]) is None
    assert ranged(b"\x01" + struct.pack("<IIh", 5000, 0, -77)) is None
