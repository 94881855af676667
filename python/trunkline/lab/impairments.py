"""What a lab's network does to frames besides carrying them: as people ask for it, and as they are told of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from trunkline import _core
from trunkline.errors import BadInput
from trunkline.units import format_bytes

COUNTED = {
    **{what: what for what in ("lost", "corrupted", "garbled", "duplicated", "reordered")},
    "dropped": "dropped by full queues",
    "down_lost": "lost on links that were down",
    "storm_dropped": "dropped by storm control",
    "pruned": "copies not sent by snooping",
    "unregistered": "of groups without members",
}
"""What the network counts besides what it carries, with words for people."""


@dataclass(frozen=True)
class Impairments:
    """Settings that go before those of a cluster file.

    Attributes:
        settings: By key of a cluster file, such as ``loss``: ``1%`` for every link, ``h3=1%`` for those of a host.
        seed: Decides which frames are harmed.
        tcp_rto_min_ms: Hosts' TCP waits at least so long before it sends anew; None: as Linux does, 200 ms.
        ipv6: Hosts have an IPv6 address besides their IPv4 one.
        tcp_buffer_bytes: So far hosts' TCP buffers grow, of which a window takes some half; None: as on this machine.
        queue_frames: Full frames that a switch's port holds before it drops; None: as the cluster says.
    """

    settings: Mapping[str, Sequence[str]] = field(default_factory=dict)
    seed: int = 1
    tcp_rto_min_ms: int | None = None
    ipv6: bool = False
    tcp_buffer_bytes: int | None = None
    queue_frames: int | None = None

    @property
    def text(self) -> str:
        """As they were asked for: ``loss 1%, reorder h3=5%``; empty: none."""
        all_settings = [
            f"{key.replace('_', '-')} {setting}" for key, settings in self.settings.items() for setting in settings
        ]
        if self.tcp_rto_min_ms is not None:
            all_settings.append(f"tcp-rto-min {self.tcp_rto_min_ms} ms")
        if self.ipv6:
            all_settings.append("ipv6")
        if self.tcp_buffer_bytes is not None:
            all_settings.append(f"tcp-buffer {format_bytes(self.tcp_buffer_bytes)}")
        if self.queue_frames is not None:
            all_settings.append(f"queue {self.queue_frames} frames")
        return ", ".join(all_settings)

    def of(self, cluster: _core.Cluster) -> _core.Cluster:
        """The cluster with all of them.

        Raises:
            BadInput: where a place or a value is none; the message names the option.
        """
        for key, settings in self.settings.items():
            for setting in sorted(settings, key=lambda one: "=" in one):  # what is for some places goes before all
                # A bare number is as good as one with a unit where there is one unit only.
                whole = f"{setting}/s" if key == "storm_control" and setting[-1:].isdigit() else setting
                try:
                    cluster = _core.impaired(cluster, key, whole)
                except ValueError as error:
                    raise BadInput(f"--{key.replace('_', '-')} {setting}: {error}") from None
        if self.queue_frames is not None:
            cluster = _core.impaired(cluster, "queue", f"{self.queue_frames * _core.frame_wire_bytes}B")
        return cluster


NO_IMPAIRMENTS = Impairments()


def counted_text(stats: Mapping[str, Any]) -> str | None:
    """For people, what the network did to frames; None: nothing but carry them."""
    done = [f"{stats[what]} {words}" for what, words in COUNTED.items() if stats[what]]
    return f"network: {stats['frames']} frames sent by hosts; " + ", ".join(done) if done else None
