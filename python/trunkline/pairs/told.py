"""What a fit leaves open, for people."""

from trunkline.pairs.fit import Fit, Uneven

MOST_NAMED = 8
"""Links, pairs or reasons, of which a command names each."""
_TOLD = 0.9
"""What is nearer to others than this is not why."""


def uneven_lines(fit: Fit) -> list[str]:
    """A line for each of the links side by side over which pairs are not alike."""
    return [_line(fit, one) for one in fit.uneven]


def _line(fit: Fit, uneven: Uneven) -> str:
    links = [fit.cluster.links[link] for link in uneven.links]
    names = [f"{link.a} - {link.b} ({link.width} links)" for link in links[:MOST_NAMED]]
    if len(links) > MOST_NAMED:
        names.append(f"{len(links) - MOST_NAMED} more")
    slow = [f"have {uneven.rate:.2g} of the rate"] if uneven.rate < _TOLD else []
    slow += [f"take {uneven.latency:.2g} times the latency"] if uneven.latency * _TOLD > 1 else []
    return (
        f"not alike: {' or '.join(names)}: some pairs over it {' and '.join(slow)} of others, as if a link of it were "
        "slower; a hash in the switches decides which one a pair crosses, so which one it is does not show, and the "
        "file has all of them as the fastest"
    )
