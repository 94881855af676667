"""The walk in CONTRIBUTING.md: an algorithm is one new file and one row of the registry."""

import re
import shutil
import subprocess
import textwrap
from pathlib import Path

from trunkline import _core

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
#include <cstdio>
#include "algorithms/registry.hpp"
int main() {
  using namespace trunkline;
  const Plan plan = lay(Collective::bcast, "reverse-linear", nullptr, Placement(4, 0), 1);
  const Tree& tree = trees_of(plan).front();
  std::printf("%zu %u", algorithms().size(), tree.root);
  for (Rank rank = tree.root; !tree.children[rank].empty(); rank = tree.children[rank][0])
    std::printf(" %u", tree.children[rank][0]);
}
"""


def test_the_walk_in_contributing(tmp_path):
    text = (ROOT / "CONTRIBUTING.md").read_text()
    file, row = (textwrap.dedent(block) for block in re.findall(r"```cpp\n(.*?)```", text, re.DOTALL))
    core = tmp_path / "core"
    shutil.copytree(ROOT / "core", core)
    (core / "algorithms" / "trees" / "reverse_linear.hpp").write_text(file)
    registry = core / "algorithms" / "registry.cpp"
    before = registry.read_text()
    after = before.replace(
        '#include "algorithms/trees/hierarchical.hpp"',
        '#include "algorithms/trees/hierarchical.hpp"\n#include "algorithms/trees/reverse_linear.hpp"',
    )
    last = "};\n\n/// Where it is not"
    assert after.count(last) == 1
    registry.write_text(after.replace(last, row + last))
    program = tmp_path / "walk.cpp"
    program.write_text(PROGRAM)
    # The new registry stands before the one in the library, of which all else is taken.
    words = ["g++", "-std=c++20", "-I", core, program, registry, ROOT / "build/dev/core/libtrunkline_core.a"]
    subprocess.run([*words, "-lyaml", "-Wl,--allow-multiple-definition", "-o", tmp_path / "walk"], check=True)
    said = subprocess.run([tmp_path / "walk"], capture_output=True, text=True, check=True).stdout
    served = sum(algorithm.name == "binary" for algorithm in _core.algorithms())  # collectives that trees serve
    assert said == f"{len(_core.algorithms()) + served} 1 0 3 2"


def test_the_page_of_algorithms_is_the_registry():
    subprocess.run(["python", ROOT / "tools" / "algorithms_page.py", "--check"], check=True)


def test_the_tables_of_choice_are_the_core_s():
    subprocess.run(["python", ROOT / "tools" / "choice_rule.py", "--check"], check=True)
