# ruff: noqa: E501 (tables of data)
"""Mutations of files: bytes in, bytes out, all chance from the generator that the caller passes.

`MUTATORS` holds them by name with the forms they apply to: bytes (any file), text, xml, toml, yaml, gzip.
"""

from __future__ import annotations

import gzip
import random
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass

Dice = random.Random
Mutation = Callable[[bytes, Dice], bytes]

NUMBER = re.compile(rb"(?<![\w.#])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])")
QUOTED = re.compile(rb"\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'")
TAG = re.compile(rb"<[^<>]{1,400}>")
ATTRIBUTE = re.compile(rb"\s[\w:.-]{1,60}\s{0,9}=\s{0,9}(?:\"[^\"]{0,300}\"|'[^']{0,300}')")
PATHS = re.compile(rb"[\w./:$(){} -]{0,100}[\w)}]\.(?:stl|obj|dae|ply|glb|gltf|bin|mtl|xacro|yaml|toml|pgm|png|sdf|urdf|xml|csv|py)\b"
                   rb"|(?:package|model|file)://[\w./-]{1,100}")  # fmt: skip

NUMBERS = [
    b"nan", b"inf", b"-inf", b"1e308", b"-1e308", b"1e309", b"-0", b"-0.0", b"0", b"-1", b"1e-320", b"2147483648",
    b"9223372036854775808", b"-9223372036854775809", b"18446744073709551616", b"9" * 400, b"9" * 5000, b"1" + b"0" * 60,
    b"1e400", b"0x7fffffff", b"1_000", b"1,5", b"", b"true", b"'1'", b"[1]", b"1 2", b"\xd9\xa1",
]  # fmt: skip
NAMES = [
    b"../../../../canary/secret.txt", b"/etc/passwd", b"file:///etc/passwd", b"package://../../../canary/secret.stl",
    b"model://../../canary", b"..\\..\\canary", b"C:\\windows\\win.ini", b"//server/share/x.stl", b"/dev/zero",
    b"/dev/stdin", b"/proc/self/mem", b"$(find ..)/x.xacro", b"~/x", b".", b"..", b"/", b"", b"x\0y.stl",
    b"http://127.0.0.1:9/x.stl", b"a" * 300 + b".stl", b"../in", b"fifo.stl", b"folder.stl", b"loop.xacro",
    b"-o", b"CON.stl", b"x.stl\nandante: all is well", b"../canary/evil.py:Evil", b"package://andante/../../../setup.py",
]  # fmt: skip
WORDS = [
    b"", b" ", b"\x1b[31mred\x1b]0;title\x07", b"[bold]x[/]", b"[/]", b"%s%n{0.__class__}", b"${1/0}", b"${9**9**9}",
    b"${'x'*10**9}", b"$(eval __import__('os').getcwd())", b"${load_yaml('/etc/passwd')}", b"$(env HOME)", b"x" * 70000,
    "ñ漢字\u202eabc".encode(), b"\xf0\x9f\xa4\x96", b"\xff\xfe", b"\xc0\xaf", b"../canary/evil.py:Evil", b"__class__", b"0", b"nan",
    b"\\", b"\"", b"'", b"#", b"null", b"a\nb", b"a\tb", b"link0", b"mujoco", b"none",
]  # fmt: skip


def flip_bits(data: bytes, dice: Dice) -> bytes:
    """Some bits turned over, few more often than many."""
    out = bytearray(data)
    for _ in range(1 << dice.randrange(0, 8)):
        place = dice.randrange(len(out))
        out[place] ^= 1 << dice.randrange(8)
    return bytes(out)


def truncate(data: bytes, dice: Dice) -> bytes:
    """The beginning of the file."""
    return data[: dice.randrange(len(data))]


def cut_out(data: bytes, dice: Dice) -> bytes:
    """A block removed."""
    first, last = _block(data, dice)
    return data[:first] + data[last:]


def duplicate(data: bytes, dice: Dice) -> bytes:
    """A block repeated, a few times or very often."""
    first, last = _block(data, dice)
    times = dice.choice([1, 1, 2, 5, 40, 1000])
    times = min(times, max(1, 2_000_000 // max(1, last - first)))
    return data[:last] + data[first:last] * times + data[last:]


def swap(data: bytes, dice: Dice) -> bytes:
    """Two neighbouring blocks exchanged."""
    a, b, c = sorted(dice.randrange(len(data) + 1) for _ in range(3))
    return data[:a] + data[b:c] + data[a:b] + data[c:]


def overwrite(data: bytes, dice: Dice) -> bytes:
    """Some bytes replaced by zeros, ones, or large little-endian numbers."""
    out = bytearray(data)
    for _ in range(dice.choice([1, 1, 2, 8])):
        word = dice.choice(
            [b"\0" * 4, b"\xff" * 4, b"\xff\xff\xff\x7f", b"\xff" * 8, b"\0" * 8, b"\0\0\0\x80", b"\x01\0\0\0"]
        )
        place = dice.randrange(len(out))
        out[place : place + len(word)] = word[: max(1, len(out) - place)]
    return bytes(out)


def insert(data: bytes, dice: Dice) -> bytes:
    """Strange bytes put in somewhere."""
    place = dice.randrange(len(data) + 1)
    more = dice.choice(
        [b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\r", b"\x1b[2J", b"\x1a", dice.randbytes(16), dice.choice(WORDS)]
    )
    return data[:place] + more + data[place:]


def number(data: bytes, dice: Dice) -> bytes:
    """One or several numbers replaced by strange ones."""
    return _replace(data, NUMBER, NUMBERS, dice)


def name(data: bytes, dice: Dice) -> bytes:
    """File names replaced by those that lead outside, to devices, folders, circles."""
    return _replace(data, PATHS, NAMES, dice)


def word(data: bytes, dice: Dice) -> bytes:
    """Quoted words replaced by strange ones; the quotes stay."""
    return _replace(data, QUOTED, [b'"' + w + b'"' for w in WORDS + NAMES], dice)


def drop_line(data: bytes, dice: Dice) -> bytes:
    """Some lines removed."""
    lines = data.splitlines(keepends=True)
    for _ in range(dice.choice([1, 1, 2, 5])):
        if len(lines) > 1:
            del lines[dice.randrange(len(lines))]
    return b"".join(lines)


def repeat_line(data: bytes, dice: Dice) -> bytes:
    """A line repeated, or two exchanged."""
    lines = data.splitlines(keepends=True) or [b"\n"]
    a, b = dice.randrange(len(lines)), dice.randrange(len(lines))
    if dice.random() < 0.5:
        lines[a], lines[b] = lines[b], lines[a]
    else:
        lines[a:a] = [lines[b]] * dice.choice([1, 2, 200])
    return b"".join(lines)


def encode(data: bytes, dice: Dice) -> bytes:
    """The text in another encoding, or one it does not say."""
    text = data.decode("utf-8", errors="replace")
    how = dice.choice(["utf-16", "utf-16-be", "utf-32", "utf-7", "utf-8-sig", "latin-1", "cp037", "shift_jis", "said"])
    if how == "said":
        other = dice.choice([b"latin-1", b"utf-16", b"x-unknown", b"utf-7", b"idna", b"rot13", b"zlib"])
        return b"<?xml version='1.0' encoding='" + other + b"'?>" + re.sub(rb"<\?xml[^>]*\?>", b"", data)
    return text.encode(how, errors="replace")


def drop_tag(data: bytes, dice: Dice) -> bytes:
    """Tags removed, so that elements close late or early."""
    return _replace(data, TAG, [b""], dice)


def drop_element(data: bytes, dice: Dice) -> bytes:
    """A whole element removed, or put somewhere else too."""
    tags = [m for m in TAG.finditer(data) if re.match(rb"<[A-Za-z]", m.group())]
    if not tags:
        return drop_line(data, dice)
    begin = dice.choice(tags)
    kind = re.match(rb"<([\w:.-]+)", begin.group())
    end = begin.end()
    if kind is not None and not begin.group().endswith(b"/>"):
        closing = data.find(b"</" + kind.group(1), end)
        end = data.find(b">", closing) + 1 if closing >= 0 else end
    element = data[begin.start() : end]
    if dice.random() < 0.5:
        return data[: begin.start()] + data[end:]
    place = dice.choice(tags).start()
    return data[:place] + element * dice.choice([1, 1, 3]) + data[place:]


def drop_attribute(data: bytes, dice: Dice) -> bytes:
    """Attributes removed."""
    return _replace(data, ATTRIBUTE, [b""], dice)


def nest_xml(data: bytes, dice: Dice) -> bytes:
    """Elements in elements in elements."""
    tag = dice.choice([b"link", b"model", b"body", b"a", b"xacro:if", b"include", b"default"])
    depth = dice.choice([50, 300, 5000, 100000])
    more = (b"<" + tag + b">") * depth + (b"</" + tag + b">") * depth
    place = data.rfind(b"</")
    return data[:place] + more + data[place:] if place > 0 else more


def entities(data: bytes, dice: Dice) -> bytes:
    """A document type with entities that grow, or that name files."""
    head = dice.choice(
        [
            b'<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa">' + b"".join(
                b'<!ENTITY %c "%s">' % (98 + k, b"&%c;" % (97 + k) * 10) for k in range(9)
            ) + b"]>",
            b'<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
            b'<!DOCTYPE r SYSTEM "http://127.0.0.1:9/x.dtd">',
            b'<!DOCTYPE r [<!ENTITY % p SYSTEM "file:///etc/passwd">%p;]>',
            b'<!DOCTYPE r [<!ATTLIST link name CDATA "x">]>',
            b'<!DOCTYPE r [<!ENTITY a "' + b"a" * 100000 + b'">]>',
        ]
    )  # fmt: skip
    used = re.sub(rb"<\?xml[^>]*\?>", b"", data)
    return head + _replace(used, QUOTED, [b'"&j;"', b'"&x;"', b'"&a;&a;"'], dice)


def nest_toml(data: bytes, dice: Dice) -> bytes:
    """Lists in lists, dotted keys without end, tables of tables."""
    depth = dice.choice([20, 200, 2000, 50000])
    more = dice.choice(
        [
            b"x = " + b"[" * depth + b"]" * depth,
            b"x = " + b"{a = " * depth + b"1" + b"}" * depth,
            b".".join([b"a"] * depth) + b" = 1",
            b"[" + b".".join([b"t"] * depth) + b"]",
        ]
    )
    lines = data.splitlines(keepends=True)
    place = dice.randrange(len(lines) + 1)
    old = re.match(rb"\s*([\w-]+)\s*=", lines[place]) if place < len(lines) else None
    if old and dice.random() < 0.5:
        lines[place] = more.replace(b"x", old.group(1), 1) + b"\n"
    else:
        lines[place:place] = [more + b"\n"]
    return b"".join(lines)


def retype_toml(data: bytes, dice: Dice) -> bytes:
    """A value replaced by one of another type."""
    lines = data.splitlines(keepends=True)
    which = [k for k, line in enumerate(lines) if b"=" in line]
    if not which:
        return data + b"x = 1\n"
    for k in dice.sample(which, min(len(which), dice.choice([1, 1, 2]))):
        value = dice.choice(
            [b"1", b"-1", b"1.5", b"nan", b"inf", b"true", b'""', b'"x"', b"[]", b"[1]", b'["a"]', b"[[1, 2], 3]", b"{}",
             b"{a = 1}", b"1979-05-27", b"07:32:00", b"9" * 400, b"0x7fffffffffffffff", b'"\\u001b[31m"', b"[{}]", b"[nan, nan, nan]"]
        )  # fmt: skip
        lines[k] = lines[k].split(b"=")[0] + b"= " + value + b"\n"
    return b"".join(lines)


def yaml_tricks(data: bytes, dice: Dice) -> bytes:
    """Tags that make objects, anchors that multiply, circles, deep flow lists, values of another type."""
    bomb = b"a: &a [x,x,x,x,x,x,x,x,x,x]\n" + b"".join(
        b"%c: &%c [%s]\n" % (98 + k, 98 + k, b",".join([b"*%c" % (97 + k)] * 10)) for k in range(8)
    )
    kind = dice.randrange(6)
    lines = data.splitlines(keepends=True) or [b"x: 1\n"]
    k = dice.randrange(len(lines))
    key = lines[k].split(b":")[0]
    if kind == 0:
        return bomb + data.replace(lines[k], key + b": *i\n", 1)
    if kind == 1:
        tag = dice.choice([b"!!python/object/apply:os.system ['touch canary_ran']", b"!!python/name:os.system", b"!!binary x",
                           b"!x y", b"!!timestamp 2001-01-01", b"!!set {a, b}", b"!!python/tuple [1, 2]", b"!!int '09x'"])  # fmt: skip
        lines[k] = key + b": " + tag + b"\n"
    elif kind == 2:
        depth = dice.choice([50, 1000, 20000])
        lines[k] = key + b": " + b"[" * depth + b"]" * depth + b"\n"
    elif kind == 3:
        lines[k] = key + b": &r [*r]\n"
    elif kind == 4:
        value = dice.choice([b"", b"null", b"yes", b"1.0e+400", b".nan", b".inf", b"-.inf", b"{a: b}", b"[1, 2]", b"2001-01-01", b"0o17", b"1:30:20", b"'x'"])  # fmt: skip
        lines[k] = key + b": " + value + b"\n"
    else:
        lines[k:k] = [b"? " + b"[" * 300 + b"]" * 300 + b"\n: 1\n", b"<<: *nothing\n"][dice.randrange(2) :][:1]
    return b"".join(lines)


def gzip_inside(data: bytes, dice: Dice) -> bytes:
    """What is packed in the file mutated, and packed again; or a bomb; or a second member."""
    kind = dice.randrange(5)
    if kind == 0:
        return gzip.compress(b"\n" * 80_000_000, 9, mtime=0)
    if kind == 1:
        return data + gzip.compress(b"x" * 1000, mtime=0)
    try:
        inside = gzip.decompress(data)
    except (OSError, EOFError, zlib.error):
        return flip_bits(data, dice)
    return gzip.compress(dice.choice([number, flip_bits, drop_line, duplicate, truncate])(inside, dice), 6, mtime=0)


@dataclass(frozen=True)
class Mutator:
    """A mutation, the forms it is for, and how often it is taken."""

    apply: Mutation
    forms: frozenset[str]
    weight: int = 1


def _all() -> dict[str, Mutator]:
    table: list[tuple[Mutation, str, int]] = [
        (flip_bits, "bytes", 2), (truncate, "bytes", 1), (cut_out, "bytes", 1), (duplicate, "bytes", 1),
        (swap, "bytes", 1), (overwrite, "bytes", 2), (insert, "bytes", 1),
        (number, "text", 5), (name, "text", 2), (word, "text", 3), (drop_line, "text", 1), (repeat_line, "text", 1),
        (encode, "text", 1), (drop_tag, "xml", 1), (drop_element, "xml", 3), (drop_attribute, "xml", 2),
        (nest_xml, "xml", 1), (entities, "xml", 1), (nest_toml, "toml", 1), (retype_toml, "toml", 4),
        (yaml_tricks, "yaml", 4), (gzip_inside, "gzip", 4),
    ]  # fmt: skip
    return {apply.__name__: Mutator(apply, frozenset([form]), weight) for apply, form, weight in table}


MUTATORS = _all()


def forms_of(file: str) -> frozenset[str]:
    """The forms of a file by its name."""
    low = file.lower()
    forms = {"bytes"}
    if low.endswith(".gz"):
        return frozenset({"bytes", "gzip"})
    if low.endswith((".urdf", ".xacro", ".sdf", ".world", ".xml", ".dae", ".config")):
        forms |= {"text", "xml"}
    elif low.endswith(".toml"):
        forms |= {"text", "toml"}
    elif low.endswith((".yaml", ".yml")):
        forms |= {"text", "yaml"}
    elif low.endswith(
        (".obj", ".mtl", ".gltf", ".csv", ".txt", ".tum", ".log", ".clf", ".action", ".json", ".jsonl", "ascii.stl")
    ):
        forms |= {"text"}
    return frozenset(forms)


def mutate(data: bytes, file: str, dice: Dice) -> tuple[bytes, list[str]]:
    """A file mutated once or a few times, and the names of what was done."""
    forms = forms_of(file)
    fitting = [(key, m) for key, m in MUTATORS.items() if m.forms & forms]
    done: list[str] = []
    for _ in range(dice.choice([1, 1, 1, 2, 3])):
        if not data:
            break
        key, mutator = dice.choices(fitting, [m.weight for _, m in fitting])[0]
        data = mutator.apply(data, dice)
        done.append(key)
    return data, done


def _block(data: bytes, dice: Dice) -> tuple[int, int]:
    first = dice.randrange(len(data))
    size = 1 + int((len(data) - first) * dice.random() ** 3)
    return first, min(len(data), first + size)


def _replace(data: bytes, pattern: re.Pattern[bytes], words: list[bytes], dice: Dice) -> bytes:
    """Some matches replaced; where there are none, the data with a few bits turned."""
    found = list(pattern.finditer(data))
    if not found:
        return flip_bits(data, dice)
    chosen = dice.sample(found, min(len(found), dice.choice([1, 1, 1, 2, 4, 30])))
    for match in sorted(chosen, key=lambda m: -m.start()):
        data = data[: match.start()] + dice.choice(words) + data[match.end() :]
    return data
