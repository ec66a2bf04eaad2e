"""A list of files is put through the commands; results survive an end by force, and the figures name the misses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import andante as an
from andante.errors import AndanteError, BadInput
from andante.tasks.zoo.figures import figures_of, row_of
from andante.tasks.zoo.listing import read_list
from andante.tasks.zoo.process import Ran, run
from andante.tasks.zoo.run import RESULTS, Records
from andante.tasks.zoo.steps import Settings, parts_of

ROBOT = """<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
<collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>"""

SETTINGS = Settings((), "", "", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 1.0)


@pytest.fixture
def listing(tmp_path: Path) -> Path:
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "good.urdf").write_text(ROBOT)
    (tmp_path / "broken.urdf").write_text("<robot name='r'><link name='a'>")
    rows = ["# file\tkind", "pack/good.urdf\turdf\tus\t\tpack\tarm\twhat was\tcheck_urdf: accepted", "broken.urdf"]
    (tmp_path / "LIST.tsv").write_text("\n".join(rows))
    return tmp_path / "LIST.tsv"


def test_a_list_is_read(listing: Path) -> None:
    good, broken = read_list(listing)
    assert (good.kind, good.what, good.accepted_by_list, good.roots) == (
        "urdf",
        "arm",
        True,
        (listing.parent / "pack",),
    )
    assert good.environment["ROS_PACKAGE_PATH"] == str(listing.parent / "pack")
    assert (broken.kind, broken.accepted_by_list, broken.environment) == ("urdf", None, {})
    (listing.parent / "odd.tsv").write_text("robot.foo")
    with pytest.raises(BadInput, match=r"odd\.tsv:1: .* names no kind"):
        read_list(listing.parent / "odd.tsv")


def test_what_is_done_is_not_done_again(listing: Path) -> None:
    out = listing.parent / "out"
    first = an.zoo(listing, out=out, steps=["check"])
    assert first.ran > 0
    good, broken = first.rows
    assert (good.opens, good.clean, broken.opens) == (True, True, False)
    assert "broken.urdf" in broken.check
    assert "good.urdf" in first.page.read_text()
    with (out / RESULTS).open("ab") as file:
        file.write(b'{"file": "torn')  # an end by force in the middle of a line
    second = an.zoo(listing, out=out, steps=["check"])
    assert second.ran == 0
    assert second.rows == first.rows
    json.dumps(second.as_dict(), default=str)


def test_refusals(listing: Path) -> None:
    with pytest.raises(AndanteError, match="step"):
        an.zoo(listing, steps=["dance"])
    with pytest.raises(BadInput, match="no file with 'nothing'"):
        an.zoo(listing, only=["nothing"])


def test_a_process_that_hangs_or_crashes_costs_itself_only(tmp_path: Path) -> None:
    assert run(["sleep", "30"], tmp_path, {}, limit=0.2).timed_out
    assert run(["sh", "-c", "kill -SEGV $$"], tmp_path, {}, limit=20).code == -11
    assert run(["no-such-program"], tmp_path, {}, limit=1).code == 127
    ran = run(["sh", "-c", 'echo "{\\"a\\": 1}"; echo $ROOTS >&2; exit 1'], tmp_path, {"ROOTS": "x:y"}, limit=20)
    assert (ran.code, ran.answer, ran.last_line) == (1, {"a": 1}, "x:y")


def test_figures_name_the_misses(listing: Path, tmp_path: Path) -> None:
    good, broken = read_list(listing)
    with Records(tmp_path / "r.jsonl") as records:
        for engine, z in (("mujoco", 0.5), ("bullet", 0.53)):
            records.add((good.key, "sim", engine), {"ok": True, "said": "", "z": z})
        records.add((broken.key, "sim", "mujoco"), {"ok": False, "said": "no", "z": None})
        records.add((good.key, "convert", "mjcf"), {"ok": True, "said": ""})
        records.add((good.key, "convert", "mjcf by mujoco"), {"ok": False, "said": "repeated name"})
        records.add(
            (good.key, "walk", "1 m"), {"ok": False, "said": "", "distance": 0.3, "turned": 2.0, "fallen": True}
        )
        rows = [row_of(animal, records.of(animal)) for animal in (good, broken)]
    told = {figure.name.split(" ")[0]: (figure.good, figure.of, figure.misses) for figure in figures_of(rows)}
    assert told["runs"] == (1, 2, ("broken.urdf",))
    assert told["heights"] == (0, 1, ("good.urdf",))
    assert told["written"] == (0, 1, ("good.urdf",))
    assert rows[0].walk == "distance 0.3, turned 2, fallen"


def test_masses_alone_do_not_keep_a_file_from_being_read(tmp_path: Path) -> None:
    """A tool that read everything and refuses a tensor agrees with a warning of that tensor, and with nothing less."""
    (tmp_path / "LIST.tsv").write_text("robot.xml\tmjcf")
    (animal,) = read_list(tmp_path / "LIST.tsv")
    own, mujoco = parts_of(animal, ["check"], SETTINGS, tmp_path)
    tensor = "Error: inertia must satisfy A + B >= C; use 'balanceinertia' to fix"

    def agrees(*, severity: str, warning: str, refusal: str) -> bool:
        said = {"problems": [{"severity": severity, "message": warning}]}
        ours = Ran(int(severity == "error"), json.dumps(said), "", 0.1)
        records = {("check", own.case): {**own.judge(ours), "seconds": 0.1},
                   ("check", mujoco.case): mujoco.judge(Ran(1 if refusal else 0, "", refusal, 0.1))}  # fmt: skip
        return row_of(animal, records).agrees

    told = "link 'a': principal moments 1, 1, 3 kg m^2 break the triangle inequality"
    assert agrees(severity="warning", warning=told, refusal=tensor)
    assert not agrees(severity="warning", warning="the file has no name", refusal=tensor)
    assert not agrees(severity="error", warning=told, refusal=tensor)
    assert not agrees(severity="warning", warning=told, refusal="XML Error: unrecognized element")
    assert agrees(severity="error", warning="unknown element", refusal="XML Error: unrecognized element")
    assert agrees(severity="warning", warning=told, refusal="")


def test_what_gazebo_says_after_a_refused_mass_is_no_second_reason(tmp_path: Path) -> None:
    (tmp_path / "LIST.tsv").write_text("hall.world")
    parts = [*parts_of(read_list(tmp_path / "LIST.tsv")[0], ["check"], SETTINGS, tmp_path)]
    if len(parts) < 2:
        pytest.skip("ign is not installed")
    mass = "Error Code 18: Msg: A link named link has invalid inertia.\n"
    then = "Error Code 9: Msg: Failed to load a world.\n"
    judged = [parts[1].judge(Ran(0, "", text, 0.1))["masses"] for text in (mass, mass + then, then, mass + "Error: x")]
    assert judged == [True, True, False, False]
