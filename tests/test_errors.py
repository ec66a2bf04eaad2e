"""Errors are those of Andante and those that Python users expect, with the same line either way."""

import pickle
from pathlib import Path

import pytest

from andante import errors
from andante.errors import (
    AndanteError,
    BadInput,
    Diverged,
    LostBody,
    MissingExtra,
    MissingFile,
    TimedOut,
    UnknownName,
    Unsupported,
)

KINDS = {
    BadInput: ValueError,
    MissingFile: FileNotFoundError,
    UnknownName: KeyError,
    LostBody: ConnectionError,
    MissingExtra: ImportError,
    Diverged: ArithmeticError,
    Unsupported: NotImplementedError,
    TimedOut: TimeoutError,
}


def test_every_class_has_its_built_in():
    classes = {each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, AndanteError)}
    assert classes - {AndanteError} == set(KINDS)
    assert issubclass(MissingFile, BadInput)


@pytest.mark.parametrize(("kind", "built_in"), KINDS.items(), ids=lambda each: each.__name__)
def test_the_message_is_kept_by_every_name(kind, built_in):
    message = "arm.urdf: no link 'hand'; links: base"
    for caught in (kind, AndanteError, built_in):
        with pytest.raises(caught) as told:
            raise kind(message)
        assert str(told.value) == message
    again = pickle.loads(pickle.dumps(kind(message)))
    assert (type(again), str(again)) == (kind, message)


def test_unknown_names_list_the_choices_without_quotes_around_the_line():
    error = UnknownName.among("engine", "havok", ("mujoco", "ode"))
    assert f"{error}" == str(error) == "no engine 'havok'; choices: mujoco, ode"
    assert isinstance(error, LookupError)


def robot(file: Path) -> None:
    from andante.description import load_robot

    load_robot(str(file.with_suffix(".urdf")))


def experiment(file: Path) -> None:
    from andante.experiments import load_experiment

    load_experiment(str(file.with_suffix(".toml")))


def user_object(file: Path) -> None:
    from andante.userfile import load_user_object

    load_user_object(f"{file.with_suffix('.py')}:Name")


def bag(file: Path) -> None:
    from andante.bags import open_bag

    open_bag(file.with_suffix(".mcap"))


def grid_map(file: Path) -> None:
    from andante.mapping.io.map_files import load_map

    load_map(file.with_suffix(".yaml"))


def log(file: Path) -> None:
    from andante.mapping.io.logs import read_log

    read_log(file.with_suffix(".clf"))


def motion(file: Path) -> None:
    from andante.motion.io.recordings import read_recording

    read_recording(file.with_suffix(".csv"))


def rig(file: Path) -> None:
    from andante.locomotion.io.rig_file import read_rig

    read_rig(file.with_suffix(".toml"))


def study(file: Path) -> None:
    from andante.search import StudyFolder

    StudyFolder.open(file)


@pytest.mark.parametrize("read", [robot, experiment, user_object, bag, grid_map, log, motion, rig, study])
def test_a_file_that_is_not_there(read, tmp_path):
    with pytest.raises(FileNotFoundError) as told:
        read(tmp_path / "nothing")
    assert isinstance(told.value, MissingFile)
    assert str(tmp_path / "nothing") in str(told.value)


def test_other_mistakes_with_files_are_no_missing_files(tmp_path):
    from andante.description import load_robot
    from andante.files import read_text

    (tmp_path / "bad.urdf").write_text("<robot")
    for work in (lambda: load_robot(str(tmp_path / "bad.urdf")), lambda: read_text(tmp_path)):
        with pytest.raises(ValueError) as told:
            work()
        assert isinstance(told.value, BadInput)
        assert not isinstance(told.value, OSError)
        assert "cannot be read" not in str(told.value)


def test_the_first_name_that_is_not_among_the_choices_is_told():
    UnknownName.check("pet", "cat", ("cat", "dog"))
    UnknownName.check("pet", ["dog", "cat"], {"cat": 1, "dog": 2}, "the house")
    UnknownName.check("pet", [], ())
    with pytest.raises(KeyError) as told:
        UnknownName.check("pet", ["dog", "ox", "emu"], ("cat", "dog"), "the house")
    assert str(told.value) == "no pet 'ox' in the house; choices: cat, dog"
    with pytest.raises(UnknownName, match="no pet 'ox'; choices: none"):
        UnknownName.check("pet", "ox", ())
