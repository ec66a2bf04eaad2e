"""TOML, JSON and YAML within bounds: every kind of bomb ends in a ValueError of one line."""

import pytest

from andante.parsing import parse_json, parse_toml, parse_yaml

ALIASES = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{chr(98 + k)}: &{chr(98 + k)} [{', '.join([f'*{chr(97 + k)}'] * 10)}]\n" for k in range(8)
)


def test_plain_values():
    assert parse_toml("a = 1\n[t]\nb = [1.5, 'x']\n") == {"a": 1, "t": {"b": [1.5, "x"]}}
    assert parse_json(b'{"a": [1, null, 18446744073709551615]}') == {"a": [1, None, 2**64 - 1]}
    assert parse_yaml("a: [1, 2]\nb: &x {c: d}\ne: *x\n") == {"a": [1, 2], "b": {"c": "d"}, "e": {"c": "d"}}


def test_dots_in_texts_and_remarks_are_no_keys():
    dots = ".".join("a" * 500)
    text = f'# {dots}\nx = "{dots}\\"{dots}"\ny = \'{dots}\'\nz = """{dots}\n""{dots}"""\n{".".join("k" * 90)} = 1'
    assert parse_toml(text)["z"] == f'{dots}\n""{dots}'
    assert parse_toml("w = '''\n" + dots + "'''")["w"] == dots
    assert parse_json("[" * 100 + "1" + "]" * 100)


@pytest.mark.parametrize(
    ("parse", "text", "said"),
    [
        (parse_toml, "x = [", "Invalid value"),
        (parse_toml, "x = " + "[" * 5000 + "]" * 5000, "nested too deeply"),
        (parse_toml, "x = " + "[" * 101 + "]" * 101, "nested too deeply"),
        (parse_toml, ".".join("a" * 50_000) + " = 1", "a key of more than 100 parts"),
        (parse_toml, 'y = "x"\n[' + " . ".join(["'#'", '"\\""'] * 60) + "]", "a key of more than 100 parts"),
        (parse_toml, f"[{'.'.join('t' * 90)}]\n{'.'.join('k' * 20)} = 1", "nested too deeply"),
        (parse_toml, "x = " + "9" * 400, "1329 bits"),
        (parse_toml, "x = " + "9" * 5000, "4300 digits"),
        (parse_toml, "x = [1, {y = -99999999999999999999}]", "67 bits"),
        (parse_json, "{", "property name"),
        (parse_json, "[" * 50_000, "nested too deeply"),
        (parse_json, "[" * 500 + "]" * 500, "nested too deeply"),
        (parse_json, "9" * 400, "bits"),
        (parse_json, b"\xff\xfe\xff", "decode"),
        (parse_yaml, "a: [", "expected"),
        (parse_yaml, "[" * 3000, "nested too deeply"),
        (parse_yaml, "a: &r [*r]", "nested too deeply"),
        (parse_yaml, ALIASES, "values after its aliases"),
        (parse_yaml, "a: !!python/object/apply:os.system ['true']", "could not determine a constructor"),
        (parse_yaml, "? [a]\n: 1", "unhashable"),
        (parse_yaml, b"\x00", "special characters"),
        (parse_yaml, "a: !!int 'x'", "invalid literal"),
        (parse_yaml, "a: !!timestamp 'x'", "has no attribute"),
    ],
)
def test_bombs_and_nonsense(parse, text, said):
    with pytest.raises(ValueError, match=said) as told:
        parse(text)
    assert "\n" not in str(told.value)
    assert len(str(told.value)) < 400
