"""How the notebooks are re-executed: each in a work folder of its own, outputs compared."""

import os
from pathlib import Path

import pytest

SANITIZE = Path(__file__).parent / "notebooks" / "sanitize.cfg"


def pytest_configure(config: pytest.Config) -> None:
    config.option.nbval_sanitize_with = str(SANITIZE)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Give the kernel of the next notebook a fresh folder, before it is started."""
    if item.path.suffix == ".ipynb":
        factory: pytest.TempPathFactory = item.config._tmp_path_factory  # type: ignore[attr-defined]
        folder = factory.getbasetemp() / f"work-{item.path.parent.name}-{item.path.stem}"
        os.environ |= {"LAB_WORK_FOLDER": str(folder), "LAB_LIVE": "off"}
