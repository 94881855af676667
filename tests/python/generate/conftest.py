"""What tests of ``trunkline generate`` share."""

import pytest


@pytest.fixture
def generated(trunkline, tmp_path):
    """The C file for a plan file's text."""

    def run(text, *words):
        file = tmp_path / "plan.yaml"
        file.write_text(text)
        return trunkline("generate", file, *words).out

    return run
