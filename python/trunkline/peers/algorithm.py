"""One algorithm that an MPI library brings itself."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class PeerAlgorithm:
    """One of a library's own algorithms with its parameters.

    Attributes:
        name: For people, and one for each choice of parameters: ``pipeline:4096``.
        algorithm: As the library names it in its settings.
        segment_bytes: Bytes of a segment; 0: in one piece.
        tree: Type of the tree, where the library has several for one algorithm.
        k: Of that tree; or the fan-out or radix, where the algorithm has one; 0: it has none.
        needs_coordinates: Whether MPICH must be given a coordinates file too. Its tuning JSON cannot ask for these: it
            takes their names for those of k-ary trees.
        environment: Variables of the ranks' environment that force it.
    """

    name: str
    algorithm: str
    segment_bytes: int = 0
    tree: str = ""
    k: int = 0
    needs_coordinates: bool = False
    environment: dict[str, str] = field(default_factory=dict, hash=False)


def named(algorithm: str, segment: int, tree: str = "", k: int = 0) -> str:
    """The name for people: algorithm, tree and its k, then the segment."""
    words = "-".join(str(word) for word in (algorithm, tree, k) if word)
    return f"{words}:{segment}" if segment else words


def in_variables(collective: str) -> str:
    """How the libraries' settings spell a collective: ``reduce_scatter``."""
    return collective.replace("-", "_")
