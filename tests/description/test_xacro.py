"""xacro files: what they may do, where their errors point, and that nothing of the process or its files leaks in."""

from __future__ import annotations

import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from urdf_samples import MACROS

from andante.description.io.open import read_robot
from andante.description.io.resolver import Resolver
from andante.description.io.xacro import is_xacro
from andante.description.io.xacro.expand import expand_xacro
from andante.description.io.xmltree import Node
from andante.description.load import robot_file, robot_names
from andante.errors import AndanteError, BadInput, UnknownName

HEAD = '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="r">'


def write(folder: Path, inside: str, name: str = "r.urdf.xacro") -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{HEAD}\n{inside}\n</robot>", encoding="utf-8")
    return file


def expand(file: Path, **arguments: str) -> Node:
    return expand_xacro(file, arguments, Resolver())


def value(folder: Path, inside: str, **arguments: str) -> str:
    """The attribute v of the element <out>."""
    out = expand(write(folder, inside), **arguments).find("out")
    assert out is not None
    return out.attributes["v"]


def refusal(file: Path, **arguments: str) -> str:
    with pytest.raises(AndanteError) as caught:
        expand(file, **arguments)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_macros_blocks_conditions_and_arguments(tmp_path: Path) -> None:
    file = tmp_path / "walker.urdf.xacro"
    file.write_text(MACROS)
    robot = read_robot(file)
    assert [link.name for link in robot.links] == ["body", "left", "right"]
    assert robot.mass == pytest.approx(0.4 + 0.7)
    assert robot.joint("left_hip").pose.rpy[2] == pytest.approx(1.5707963267948966)
    assert robot.joint("left_hip").limits.effort == 5
    assert len(read_robot(file, {"legs": "1"}).links) == 2


def test_elements_know_the_line_that_they_were_written_on(tmp_path: Path) -> None:
    write(tmp_path, '\n\n<xacro:macro name="m" params="n">\n<link name="${n}"/>\n</xacro:macro>', "lib.xacro")
    root = expand(write(tmp_path, '<xacro:include filename="lib.xacro"/>\n<xacro:m n="a"/><link name="b"/>'))
    made, own = root.children
    assert str(made.source) == f"{tmp_path / 'lib.xacro'}:5"
    assert str(own.source) == f"{tmp_path / 'r.urdf.xacro'}:3"
    assert root.attributes == {"name": "r"}


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ('<xacro:property name="a" value="2"/><out v="${a * 3}"/>', "6"),
        ('<xacro:property name="a" value="${b}"/><xacro:property name="b" value="4"/><out v="${a}"/>', "4"),
        ('<xacro:property name="a" value="x"/><out v="${a + \'_y\'} $${a}"/>', "x_y ${a}"),
        ('<xacro:property name="a" default="1"/><xacro:property name="a" default="2"/><out v="${a}"/>', "1"),
        ('<xacro:unless value="false"><out v="u"/></xacro:unless>', "u"),
        ('<xacro:if value="${1 == 1 and not False}"><out v="i"/></xacro:if>', "i"),
        ('<xacro:arg name="n" default="5"/><out v="$(arg n)"/>', "5"),
        ('<xacro:arg name="n" default="5"/><out v="$(eval n * 2 + arg(\'n\'))"/>', "15"),
        ('<out v="$(optenv HOME away)"/>', "away"),
        ('<out v="${{\'k\': 5}[\'k\']} ${3}"/>', "5 3"),
        ('<xacro:macro name="m" params="a:=1 b:=${a_*2} c:=\'x y\'"><out v="${a} ${b} ${c}"/></xacro:macro>'
         '<xacro:property name="a_" value="4"/><xacro:m a="7"/>', "7 8 x y"),
        ('<xacro:macro name="m" params="a:=^ b:=^|3"><out v="${a} ${b}"/></xacro:macro>'
         '<xacro:property name="a" value="9"/><xacro:m/>', "9 3"),
        ('<xacro:macro name="m" params="*o"><xacro:insert_block name="o"/></xacro:macro>'
         '<xacro:m><out v="blk"/></xacro:m>', "blk"),
        ('<xacro:macro name="m" params="**o"><xacro:insert_block name="o"/></xacro:macro>'
         '<xacro:m><wrap><out v="blks"/></wrap></xacro:m>', "blks"),
        ('<xacro:macro name="m" params="n"><out v="${n}"/></xacro:macro><xacro:call macro="m" n="c"/>', "c"),
        ('<xacro:property name="__two" value="3"/><out v="${__two + 1}"/>', "4"),
        ("<xacro:macro name='m' params='n prefix=${p}_ xyz:=&quot;0 1 2&quot;'><out v='${prefix}${n}'/></xacro:macro>"
         "<xacro:property name='p' value='a'/><xacro:m n='b'/>", "a_b"),
        ('<xacro:macro name="m" params="xyz:=\'0 1 2\'"><xacro:property name="y" value="${xyz.split(\' \')[1]}"/>'
         '<out v="${y + 1} ${\' \'.join([str(i) for i in [1, 2]])}"/></xacro:macro><xacro:m/>', "2 1 2"),
        ('<xacro:element xacro:name="out"><xacro:attribute name="v" value="e"/></xacro:element>', "e"),
        ('<xacro:macro name="count" params="n"><xacro:if value="${n > 0}"><xacro:count n="${n - 1}"/></xacro:if>'
         '<xacro:unless value="${n > 0}"><out v="done"/></xacro:unless></xacro:macro><xacro:count n="20"/>', "done"),
        ('<xacro:property name="l" value="${[1, 2, 3]}"/><out v="${l[1] + len(l)}"/>', "5"),
        ('<xacro:macro name="m"><xacro:property name="p" value="in" scope="parent"/></xacro:macro><xacro:m/>'
         '<out v="${p}"/>', "in"),
    ],
)  # fmt: skip
def test_language(tmp_path: Path, inside: str, expected: str) -> None:
    assert value(tmp_path, inside) == expected


def test_arguments_stand_for_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROBOT_KIND", "from the process")
    assert value(tmp_path, '<out v="$(env ROBOT_KIND)"/>', ROBOT_KIND="given") == "given"
    assert value(tmp_path, '<out v="$(optenv ROBOT_KIND other)"/>') == "other"
    assert "ROBOT_KIND:=VALUE" in refusal(write(tmp_path, '<out v="$(env ROBOT_KIND)"/>'))


def test_yaml(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "a.yaml").write_text(
        "leg:\n  length: 0.3\n  hip: !degrees 180/2\n  names: [l, r]\nday: 2020-01-01\n"
    )
    inside = """<xacro:property name="y" value="${xacro.load_yaml('config/a.yaml')}"/>
      <xacro:property name="leg" value="${y.leg}"/>
      <out v="${y.leg.length} ${y['leg']['names'][1]} ${round(leg.hip, 3)} ${len(leg.get('none', []))} ${y.day}"/>"""
    assert value(tmp_path, inside) == "0.3 r 1.571 0 2020-01-01"
    (tmp_path / "elsewhere").mkdir()
    file = write(tmp_path / "elsewhere", "<xacro:arg name='f' default=''/><out v=\"${load_yaml('$(arg f)').day}\"/>")
    out = expand(file, f=str(tmp_path / "config" / "a.yaml")).find("out")  # the user names this very file
    assert out is not None
    assert out.attributes["v"] == "2020-01-01"
    assert "no key 'arm'" in refusal(write(tmp_path, inside.replace("y.leg.length", "y.arm")))


def test_packages_includes_and_namespaces(tmp_path: Path) -> None:
    package = tmp_path / "src" / "my_robot"
    write(package, '<xacro:property name="size" value="3"/><xacro:macro name="m"><link name="p${size}"/></xacro:macro>',
          "urdf/parts.xacro")  # fmt: skip
    (package / "config").mkdir()
    (package / "config" / "c.yaml").write_text("k: 8")
    inside = """<xacro:include filename="{}" ns="parts"/><xacro:parts.m/>
      <xacro:property name="c" value="${{load_yaml('$(find my_robot)/config/c.yaml')}}"/>
      <out v="${{parts.size + c.k}}"/>"""
    for spec in ("$(find my_robot)/urdf/parts.xacro", "package://my_robot/urdf/parts.xacro", "parts.xacro", "p*.xacro"):
        file = write(package, inside.format(spec), "urdf/main.urdf.xacro")
        root = expand_xacro(file, {}, Resolver([tmp_path / "src"]))
        assert root.children[0].attributes["name"] == "p3"
        assert root.children[-1].attributes["v"] == "11"
    far = write(tmp_path / "far", inside.format("$(find my_robot)/urdf/parts.xacro"))
    assert expand_xacro(far, {}, Resolver([tmp_path / "src"])).children[-1].attributes["v"] == "11"
    assert "no such package" in refusal(write(tmp_path, '<out v="$(find ../..)"/>'))


OLD = """<robot xmlns:xacro="http://ros.org/wiki/xacro" name="r"><property name="size" value="${1 + 1}"/>
<macro name="box" params="name *place"><link name="${name}"><origin v="${size}"/><insert_block name="place"/></link>
<if value="${size > 1}"><link name="more"/></if></macro></robot>"""


def test_words_without_a_prefix_are_read_as_before_ros_jade(tmp_path: Path) -> None:
    (tmp_path / "old.xacro").write_text(OLD)
    (tmp_path / "r.urdf.xacro").write_text(
        '<robot name="r">\n<include filename="$(dirname)/old.xacro"/>\n<box name="a"><pose w="1"/></box></robot>'
    )
    root = expand(tmp_path / "r.urdf.xacro")
    assert [(child.tag, child.attributes.get("name")) for child in root.children] == [("link", "a"), ("link", "more")]
    assert [child.attributes for child in root.children[0].children] == [{"v": "2"}, {"w": "1"}]
    (told,) = root.problems
    assert told.source.line == 2
    assert "write xacro:include" in told.message


def test_a_call_without_a_prefix_is_told_and_elements_of_a_robot_stay(tmp_path: Path) -> None:
    macros = '<xacro:macro name="base"><link name="b"/></xacro:macro><xacro:macro name="joint"><l/></xacro:macro>'
    root = expand(write(tmp_path, f'{macros}\n<base/><joint name="j"/><gazebo><base/></gazebo>'))
    assert [child.tag for child in root.children] == ["link", "joint", "gazebo"]
    assert [child.tag for child in root.children[-1].children] == ["base"]
    (told,) = root.problems
    assert "write xacro:base" in told.message


def test_a_call_that_an_expansion_left_over_does_not_cost_a_urdf(tmp_path: Path) -> None:
    root = expand(write(tmp_path, '<link name="a"/>\n<xacro:gone/>', "r.urdf"))
    assert [child.tag for child in root.children] == ["link"]
    (told,) = root.problems
    assert (told.source.line, told.severity) == (3, "warning")
    assert "unknown macro name: xacro:gone" in told.message


def test_a_file_of_macros_says_so(tmp_path: Path) -> None:
    said = refusal(write(tmp_path, '<xacro:macro name="arm"><link name="a"/></xacro:macro>'))
    assert "only defines macros (arm), no robot; open the file that calls them" in said


def test_optional_include(tmp_path: Path) -> None:
    inside = '<xacro:include filename="none.xacro" optional="true"/><out v="1"/>'
    assert value(tmp_path, inside) == "1"


def test_dirname(tmp_path: Path) -> None:
    assert value(tmp_path, '<out v="$(dirname)"/>') == str(tmp_path.resolve())


@pytest.mark.parametrize(
    ("inside", "line", "fragment"),
    [
        ('<xacro:nothing/>', 2, "unknown macro name: xacro:nothing"),
        ('\n<out v="${missing}"/>', 3, "'missing' is not defined"),
        ('\n<out v="$(arg n)"/>', 3, "pass n:=VALUE"),
        ('\n<xacro:arg name="n"/>', 3, "pass n:=VALUE"),
        ('\n<xacro:include filename="none.xacro"/>', 3, "none.xacro does not exist"),
        ('<xacro:include filename="package://none/x.xacro"/>', 2, "ROS_PACKAGE_PATH"),
        ('<xacro:include filename="*/x.xacro"/>', 2, "file name only"),
        ('\n\n<xacro:include filename="r.urdf.xacro"/>', 4, "includes itself"),
        ('<xacro:macro name="m" params="a"><l/></xacro:macro>\n<xacro:m/>', 3, "Undefined parameters [a]"),
        ('<xacro:macro name="m" params="a"><l/></xacro:macro>\n<xacro:m a="1" b="2"/>', 3, 'Invalid parameter "b"'),
        ('<xacro:macro name="m" params="*a"><l/></xacro:macro>\n<xacro:m/>', 3, "Not enough blocks"),
        ('<xacro:macro name="m"><xacro:m/></xacro:macro>\n<xacro:m/>', 2, "deep"),
        ('<xacro:property name="a" value="${b}"/><xacro:property name="b" value="${a}"/>\n<o v="${b}"/>', 3,
         "circular"),
        ('<out v="${1 + \'a\'}"/>', 2, "in ${1 + 'a'}: an integer and text cannot be added"),
        ('<xacro:property name="a b" value="1"/>', 2, "identifiers"),
        ('<xacro:if value="perhaps"><out/></xacro:if>', 2, "not a boolean"),
        ('<xacro:if><out/></xacro:if>', 2, "needs the attribute value"),
        ('<xacro:insert_block name="x"/>', 2, 'Undefined block "x"'),
        ('<out v="${1 / 0}"/>', 2, "divides by zero"),
        ('<out v="$(shell ls)"/>', 2, "$(shell ls)"),
        ('<out v="$(cwd)"/>', 2, "$(cwd)"),
        ('<out v="${xacro.fatal(\'wrong\', 3)}"/>', 2, "wrong 3"),
        ('<out v="${load_yaml(\'/etc/passwd\')}"/>', 2, "outside"),
        ('<out v="${xacro.load_yaml(\'../../../../../etc/hosts\')}"/>', 2, "outside"),
        ('<out v="${load_yaml(\'r.urdf.xacro\')}"/>', 2, "no .yaml"),
    ],
)  # fmt: skip
def test_refusals_point_at_the_line(tmp_path: Path, inside: str, line: int, fragment: str) -> None:
    file = write(tmp_path, inside)
    message = refusal(file)
    assert message.startswith(f"{file}:{line}: ")
    assert fragment in message


def test_unknown_arguments_are_a_slip(tmp_path: Path) -> None:
    file = write(tmp_path, '<xacro:arg name="speed" default="1"/><out v="$(arg speed)"/>')
    with pytest.raises(UnknownName, match=r"no argument 'sped'.*choices: speed"):
        expand(file, sped="2")
    with pytest.raises(UnknownName, match=r'declares no arguments, got \'size\'.*<xacro:arg name="size" default'):
        expand(write(tmp_path, '<xacro:property name="size" value="1"/>'), size="2")


def test_an_unknown_argument_is_on_no_line_of_the_file(tmp_path: Path) -> None:
    file = write(tmp_path, '<xacro:arg name="speed" default="1"/>\n<out v="$(arg speed)"/>\n<more/>')
    assert refusal(file, sped="2") == f"{file}: no argument 'sped'; choices: speed"
    assert refusal(write(tmp_path, "\n<more/>"), sped="2").startswith(f"{file} declares no arguments, got 'sped'")


@pytest.mark.parametrize(
    ("inside", "line"),
    [
        ('<more/>\n<xacro:arg name="a"/>\n<out v="$(arg a)"/>', 3),
        ('<out v="$(arg a)"/>\n\n<xacro:arg name="a"/>', 4),
        ('<xacro:property name="b" value="$(arg a)"/>\n<out v="${b}"/>\n<xacro:arg name="a"/>', 4),
        ('<more/>\n<out v="$(arg a)"/>', 3),
        ('<out v="$(arg a)"/>\n<xacro:arg name="a" default="1"/>', 2),
    ],
)
def test_an_argument_without_a_value_is_named_where_it_is_declared(tmp_path: Path, inside: str, line: int) -> None:
    """Or where it is used, when no declaration waits for a value."""
    file = write(tmp_path, inside)
    assert refusal(file) == f"{file}:{line}: the argument 'a' has no value; pass a:=VALUE"


def test_error_in_an_included_file_names_that_file(tmp_path: Path) -> None:
    write(tmp_path, "\n<link name='${oops}'/>", "lib.xacro")
    file = write(tmp_path, '<xacro:include filename="lib.xacro"/>')
    assert refusal(file).startswith(f"{tmp_path / 'lib.xacro'}:3: ")


def test_include_cycle(tmp_path: Path) -> None:
    write(tmp_path, '<xacro:include filename="b.xacro"/>', "a.xacro")
    write(tmp_path, '<xacro:include filename="a.xacro"/>', "b.xacro")
    assert "a.xacro includes itself" in refusal(tmp_path / "a.xacro")


def doubling(count: int) -> str:
    macros = '<xacro:macro name="m0"><l/></xacro:macro>'
    for i in range(count):
        macros += f'<xacro:macro name="m{i + 1}"><xacro:m{i}/><xacro:m{i}/></xacro:macro>'
    return macros + f"<xacro:m{count}/>"


def text_doubling(count: int) -> str:
    lines = '<xacro:property name="p0" value="xxxxxxxxxx"/>'
    for i in range(count):
        lines += f'<xacro:property name="p{i + 1}" value="${{p{i}}}${{p{i}}}"/>'
    return lines + f'<out v="${{p{count}}}"/>'


def list_doubling(count: int) -> str:
    lines = '<xacro:property name="p0" value="${[1, 2]}"/>'
    for i in range(count):
        lines += f'<xacro:property name="p{i + 1}" value="${{[p{i}, p{i}]}}"/>'
    return lines + f'<out v="${{p{count}}}"/>'


@pytest.mark.parametrize("inside", [doubling(40), text_doubling(40), list_doubling(40)])
def test_expansion_bombs(tmp_path: Path, inside: str) -> None:
    assert "refused" in refusal(write(tmp_path, inside))


@pytest.mark.parametrize("default", ["x" * 5000, "${x}" * 60, "$(arg x)" * 60], ids=["text", "braces", "parentheses"])
def test_slow_patterns_of_macro_parameters(tmp_path: Path, default: str) -> None:
    file = write(tmp_path, f'<xacro:macro name="m" params="a:={default}\'"><l/></xacro:macro><xacro:m/>')
    assert "a:=" in refusal(file) or "Undefined" in refusal(file)


@pytest.mark.parametrize(
    "head",
    [
        '<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>',
        '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE r [<!ATTLIST link name CDATA "big">]>',
    ],
)
def test_entities_are_refused_in_the_file_and_in_includes(tmp_path: Path, head: str) -> None:
    bad = tmp_path / "bad.xacro"
    bad.write_text(f"{head}{HEAD}<link/></robot>")
    assert refusal(bad).startswith(f"{bad}:1: ")
    file = write(tmp_path, '<xacro:include filename="bad.xacro"/>')
    assert refusal(file).startswith(f"{bad}:1: ")


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [1, 1, 1, 1, 1, 1, 1, 1]\n"
        + "".join(f"{c}: &{c} [{', '.join(['*' + p] * 8)}]\n" for p, c in zip("abcdefgh", "bcdefghi", strict=True)),
        "k0: &k0 {x: 1}\n" + "".join(f"k{i + 1}: &k{i + 1} {{p: *k{i}, q: *k{i}}}\n" for i in range(40)),
        "k0: &k0 {x: 1}\n" + "".join(f"k{i + 1}: &k{i + 1} {{<<: [*k{i}, *k{i}]}}\n" for i in range(40)),
        "a: &a [*a]\n",
        "a: !!python/object/apply:os.system ['true']\n",
        "a: [1, 2\n",
        "[" * 5000,
        "a: 1\n---\nb: 2\n",
        "? [1, 2]\n: 3\n",
        "a: !degrees ().__class__\n",
    ],
)  # fmt: skip
def test_bad_yaml(tmp_path: Path, text: str) -> None:
    (tmp_path / "y.yaml").write_text(text)
    message = refusal(write(tmp_path, "<out v=\"${load_yaml('y.yaml')}\"/>"))
    assert "y.yaml" in message


def test_yaml_through_a_link_to_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "secret.yaml").write_text("a: 1")
    file = write(tmp_path / "robot", "<out v=\"${load_yaml('link.yaml')}\"/>")
    (tmp_path / "robot" / "link.yaml").symlink_to(tmp_path / "secret.yaml")
    assert "outside" in refusal(file)


def test_warnings_become_problems_and_nothing_is_printed(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = write(
        tmp_path,
        """<xacro:macro name="m" params="" wrong="1"><link name="a"/></xacro:macro><xacro:m/>
      <xacro:include filename="none*.xacro"/><material name="${xacro.warning('beware')}"/>""",
    )
    robot = read_robot(file)
    texts = [problem.message for problem in robot.problems]
    assert any("wrong" in text for text in texts)
    assert any("none*.xacro" in text for text in texts)
    assert any("beware" in text for text in texts)
    assert capfd.readouterr() == ("", "")


def plain(element: Any) -> Any:
    """Tag, attributes, text before the first child and children of a DOM element, as lists."""
    text, children = "", []
    for child in element.childNodes:
        if child.nodeType == child.ELEMENT_NODE:
            children.append(plain(child))
        elif child.nodeType == child.TEXT_NODE and not children:
            text += child.data
    attributes = {k: v for k, v in element.attributes.items() if not k.startswith("xmlns")}
    return [element.tagName, attributes, text.split(), children]


def nodes(node: Node) -> Any:
    return [node.tag, node.attributes, node.text.split(), [nodes(child) for child in node.children]]


@pytest.mark.parametrize("name", ["sample", *robot_names()])
def test_expands_as_the_package_itself_does(tmp_path: Path, name: str) -> None:
    import xacro

    file = tmp_path / "walker.urdf.xacro"
    file.write_text(MACROS)
    if name != "sample":
        file = robot_file(name)
    assert nodes(expand(file)) == plain(xacro.process_file(str(file)).documentElement)


@pytest.mark.parametrize(
    "inside",
    [
        '<a>one <xacro:property name="p" value="2"/>${p} <b/></a>',
        '<xacro:property name="n" value="out"/><xacro:element xacro:name="${n}" v="1"><c/></xacro:element>',
        '<xacro:property name="blk"><x v="${1 + 1}"/><y/></xacro:property><w><xacro:insert_block name="blk"/></w>',
        '<xacro:macro name="m" params="a *b **c d:=4"><o v="${a} ${d}"><xacro:insert_block name="b"/>'
        '<xacro:insert_block name="c"/><xacro:insert_block name="b"/></o></xacro:macro>'
        '<xacro:property name="q" value="7"/><xacro:m a="${q}"><b v="${q}"/><c><d/>t<e/></c></xacro:m>',
        '<xacro:macro name="outer" params="x"><xacro:macro name="inner" params="y"><o v="${x}${y}"/></xacro:macro>'
        '<xacro:inner y="2"/></xacro:macro><xacro:outer x="1"/>',
        '<xacro:macro name="m"><xacro:property name="g" value="${l}" scope="global"/></xacro:macro>'
        '<xacro:property name="l" value="5"/><xacro:m/><o v="${g}"/><xacro:property name="g" remove="true"/>'
        '<xacro:property name="g" default="6"/><o v="${g}"/>',
        '<xacro:include filename="lib.xacro" ns="lib"/><xacro:macro name="m"><xacro:lib.part n="z"/></xacro:macro>'
        '<xacro:m/><o v="${lib.size}"/>',
        '<xacro:property name="t" value="true"/><xacro:property name="s" value="\'1\'"/>'
        '<xacro:property name="e" value=""/><o t="${t}" s="${s}" e="${e}" f="${1.50}" d="a$b" m="1${2}3"/>',
        '<xacro:property name="eager" value="${1 + 1}" lazy_eval="false"/><o v="$(arg a) ${eager}"/>',
        "<xacro:unless value=\"${xacro.arg('a') == 3}\"><o/></xacro:unless>",
    ],
)
def test_language_is_that_of_the_package(tmp_path: Path, inside: str) -> None:
    import xacro

    write(tmp_path, '<xacro:property name="size" value="3"/><xacro:macro name="part" params="n"><link v="${n}${size}"/>'
          '</xacro:macro>', "lib.xacro")  # fmt: skip
    file = write(tmp_path, f'<xacro:arg name="a" default="x"/>{inside}')
    assert nodes(expand(file)) == plain(xacro.process_file(str(file), mappings={}).documentElement)


def test_the_package_of_the_user_is_untouched(tmp_path: Path) -> None:
    import xacro

    before = (xacro.safe_eval, xacro.eval_all, xacro.parse, xacro.replace_node)
    expand(write(tmp_path, '<out v="${1 + 1}"/>'))
    assert (xacro.safe_eval, xacro.eval_all, xacro.parse, xacro.replace_node) == before


def test_threads(tmp_path: Path) -> None:
    files = [
        write(tmp_path, f'<xacro:property name="p" value="{i}"/><out v="${{p}}"/>', f"{i}.xacro") for i in range(8)
    ]
    found: dict[int, str] = {}

    def work(i: int) -> None:
        for _ in range(5):
            found[i] = expand(files[i]).children[0].attributes["v"]

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {i: str(i) for i in range(8)}


def test_is_xacro() -> None:
    assert is_xacro(Path("a.urdf.xacro"), b"")
    assert is_xacro(Path("a.urdf"), HEAD.encode())
    assert is_xacro(Path("a.urdf"), HEAD.encode("utf-16"))
    assert not is_xacro(Path("a.urdf"), b"<robot><!-- made by xacro --></robot>")


def test_plain_files_take_no_arguments(tmp_path: Path) -> None:
    file = tmp_path / "a.urdf"
    file.write_text('<robot name="r"><link name="a"/></robot>')
    with pytest.raises(BadInput, match="takes no arguments"):
        read_robot(file, {"a": "1"})


@pytest.mark.parametrize("inside", ["", "<link name='a'/>", "<xacro:property name='q' value='${1 + 1}'/>"])
def test_macros_that_call_each_other_too_often(tmp_path: Path, inside: str) -> None:
    macros = f"<xacro:macro name='m0'>{inside}</xacro:macro>" + "".join(
        f"<xacro:macro name='m{i}'>{f'<xacro:m{i - 1}/>' * 10}</xacro:macro>" for i in range(1, 12)
    )
    assert "more than 10000 calls of macros" in refusal(write(tmp_path, f"{macros}<xacro:m11/>"))


def test_pow_and_a_missing_include(tmp_path: Path) -> None:
    assert value(tmp_path, "<out v='${pow(2, 3)}'/>") == "8.0"
    said = refusal(write(tmp_path, "<xacro:include filename='nope.xacro'/>"))
    assert said.count("does not exist") == 1


def test_time_is_that_of_the_processor(tmp_path, monkeypatch):
    from andante.description.io.xacro import session as xacro_session

    file = tmp_path / "slow.xacro"
    file.write_text(
        "<robot name='r' xmlns:xacro='http://ros.org/wiki/xacro'><xacro:macro name='m'><link name='a'/></xacro:macro>"
        "<xacro:m/></robot>"
    )
    spent = iter(range(0, 100, 9))  # what the wall clock shows is not asked for
    monkeypatch.setattr(xacro_session, "time", SimpleNamespace(thread_time=lambda: next(spent)))
    with pytest.raises(BadInput, match="takes more than 10 s of the processor"):
        read_robot(file)
