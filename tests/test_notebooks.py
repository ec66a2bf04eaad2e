"""Every notebook of the docs runs from top to bottom in an empty folder, and is stored without outputs."""

import tempfile
from pathlib import Path

import nbformat
import pytest
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parents[1] / "docs" / "notebooks").glob("*.ipynb"))


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_there_are_notebooks():
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_is_stored_without_outputs(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    for cell in code_cells(notebook):
        assert not cell.outputs
        assert cell.execution_count is None


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(path, tmp_path, monkeypatch):
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as sockets:  # a short name: addresses of sockets are limited in length
        manager = AsyncKernelManager(kernel_name="python3", transport="ipc", ip=f"{sockets}/kernel")
        NotebookClient(notebook, km=manager, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    for cell in code_cells(notebook):
        complaints = [o.text for o in cell.outputs if o.output_type == "stream" and o.name == "stderr"]
        assert not complaints
        assert any("image/png" in output.get("data", {}) for output in cell.outputs) == ends_in_a_figure(cell)
    assert any(ends_in_a_figure(cell) for cell in code_cells(notebook))


def ends_in_a_figure(cell):
    return cell.source.splitlines()[-1].startswith(("figure", "an.viz.preview_", "result"))
