"""The table of coverage per package."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).parent.parent / "tools" / "coverage_table.py"


@pytest.fixture(scope="module")
def tool():
    pytest.importorskip("coverage")
    spec = importlib.util.spec_from_file_location("coverage_table", TOOL)
    module = importlib.util.module_from_spec(spec)
    sys.modules["coverage_table"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["coverage_table"]


def test_packages_are_summed_up(tool):
    def entry(statements, run, branches=0, taken=0):
        sums = {"num_statements": statements, "covered_lines": run, "percent_covered": 0.5}
        if branches:
            sums |= {"num_branches": branches, "covered_branches": taken}
        return {"summary": sums}

    modules = tool.module_rows(
        {
            "src/andante/errors.py": entry(10, 10),
            "src/andante/bus/bus.py": entry(30, 20, 10, 5),
            "src/andante/bus/bags/player.py": entry(10, 0),
            "tests/bus/test_bus.py": entry(99, 99),
        }
    )
    assert [row.name for row in modules] == ["bus/bags/player.py", "bus/bus.py", "errors.py"]
    packages = tool.package_rows(modules)
    assert [(row.name, row.statements, row.run, row.branches, row.taken) for row in packages] == [
        ("andante", 10, 10, 0, 0),
        ("bus", 40, 20, 10, 5),
    ]
    assert tool.as_table(packages).splitlines()[2:] == [
        "| andante | 10 | 10 | 0 | 0 | 100.0 % |",
        "| bus | 40 | 20 | 10 | 5 | 50.0 % |",
        "| all | 50 | 30 | 10 | 5 | 58.3 % |",
    ]
    assert tool.Row("empty").fraction == 100.0


def test_kernels_are_left_out_and_files_stay(tool, tmp_path):
    code = "import andante.geometry._types, andante.locomotion.rigs.balance"
    file = tmp_path / "one.cov"
    words = ["-m", "coverage", "run", f"--rcfile={tool.CONFIG}", f"--data-file={file}", str(tmp_path / "run.py")]
    (tmp_path / "run.py").write_text(code)
    subprocess.run([sys.executable, *words], check=True, cwd=tool.ROOT)
    files = list(tmp_path.glob("one.cov*"))
    names = ["geometry/_types.py", "locomotion/rigs/balance.py", "locomotion/biped/kernels.py"]
    rows = {row.name: row for row in tool.measured(files, [tool.ROOMS / name for name in names])}
    assert set(rows) == set(names)
    assert rows["geometry/_types.py"].fraction == 100.0
    assert rows["locomotion/rigs/balance.py"].run > 0
    kernels = rows["locomotion/biped/kernels.py"]
    assert kernels.statements < 40  # imports and constants, not the bodies of compiled functions
    assert list(tmp_path.glob("one.cov*")) == files


def test_missing_data_is_one_line(tmp_path):
    pytest.importorskip("coverage")
    done = subprocess.run([sys.executable, TOOL, tmp_path / "none"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
