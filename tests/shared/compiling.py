"""Compiles C through ccache, where that is installed: what was written the same before is not compiled again."""

import functools
import os
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

__all__ = ["object_of"]


@functools.cache
def _words(compiler: str) -> tuple[str, ...]:
    """What a compiler wrapper of an MPI library calls to compile, which need not be asked for each file."""
    words = [compiler, "-c"]
    if "mpicc" in Path(compiler).name:
        shown = subprocess.run([*words, "-show", "x.c"], capture_output=True, text=True, check=True).stdout
        words = [word for word in shlex.split(shown) if word != "x.c"]
    ccache = shutil.which("ccache")
    return tuple([ccache, *words] if ccache else words)


def object_of(compiler: str, source: Path, options: Sequence[str], output: Path) -> subprocess.CompletedProcess[str]:
    """Compiles a source; how that ended, and what the compiler said."""
    # Named as seen from their folder: the temporary folder of a test is another one each time.
    file = source.name if source.parent == output.parent else source
    here = {"CCACHE_NOHASHDIR": "1", "CCACHE_BASEDIR": str(output.parent)}
    return subprocess.run(
        [*_words(compiler), *options, file, "-o", output.name],
        cwd=output.parent,
        env=os.environ | here,
        capture_output=True,
        text=True,
        check=False,
    )
