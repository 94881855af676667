"""Options of all commands that run programs on a lab: what its network does to frames besides carrying them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Optional

import typer

from trunkline.cli.option_group import with_group
from trunkline.errors import BadInput
from trunkline.lab.impairments import Impairments
from trunkline.units import format_bytes, parse_bytes

_PANEL = "Impaired network"
_LEAST_BUFFER, _MOST_BUFFER = 16 << 10, 1 << 30
_OPTIONS = {
    "loss": ("[WHERE=]SHARE", "Frames lost on each link, in each direction: 1%, h3=5%, s0-s1=2%. May be repeated."),
    "corrupt": ("[WHERE=]SHARE", "Frames with a flipped bit, which the receiving kernel finds and drops."),
    "garble": ("[WHERE=]SHARE", "Frames with wrong bytes that no checksum finds: they reach the program."),
    "duplicate": ("[WHERE=]SHARE", "Frames that arrive twice."),
    "reorder": ("[WHERE=]SHARE", "Frames held back, so that later ones overtake them."),
    "reorder_by": ("[WHERE=]TIME", "For how long (2ms); default: as long as three full frames take on the link."),
    "jitter": ("[WHERE=]TIME", "Each frame is later by up to so long, drawn evenly; frames keep their order."),
    "igmp": (
        "[WHERE=]HOW",
        "What switches do with multicast: flood (default), snooping, or querier, which snoops and asks hosts.",
    ),
    "igmp_ages": ("[WHERE=]TIME", "After which a membership ends that was not renewed; default: 260s."),
    "storm_control": ("[WHERE=]FRAMES", "Broadcast and multicast frames a second that a switch port takes in."),
}


def impairable(command: Callable[..., None]) -> Callable[..., None]:
    """The command with these options, which it gets as one argument ``impairments``."""
    options: dict[str, tuple[Any, Any]] = {
        name: (Annotated[Optional[list[str]], _option(text, metavar=metavar)], None)
        for name, (metavar, text) in _OPTIONS.items()
    }
    options["seed"] = (Annotated[int, _option("Another one harms other frames.", min=0, max=2**53)], 1)
    options["tcp_rto_min"] = (
        Annotated[
            Optional[int],
            _option(
                "Hosts' TCP waits at least so long before it sends again what got lost; Linux: 200.",
                min=1,
                max=10_000,
                metavar="MILLISECONDS",
            ),
        ],
        None,
    )
    ipv6 = typer.Option("--ipv6", help="Give hosts an IPv6 address as well, fd00::1 and up.", rich_help_panel=_PANEL)
    options["ipv6"] = (Annotated[bool, ipv6], False)
    buffer = "So far hosts' TCP buffers grow (128KiB), of which a window takes some half; default: as on this machine."
    options["tcp_buffer"] = (Annotated[Optional[str], _option(buffer, metavar="BYTES")], None)
    queue = (
        "Full frames that a switch's port holds before it drops; default: as the cluster file says, else 340 (512KiB)."
    )
    options["queue"] = (Annotated[Optional[int], _option(queue, min=2, max=1 << 20, metavar="FRAMES")], None)
    return with_group(command, "impairments", options, _impairments)


def _option(text: str, **more: Any) -> Any:  # noqa: ANN401
    return typer.Option(help=text, rich_help_panel=_PANEL, **more)


def _impairments(
    *,
    seed: int,
    tcp_rto_min: int | None,
    ipv6: bool,
    tcp_buffer: str | None,
    queue: int | None,
    **of_frames: list[str] | None,
) -> Impairments:
    harms = {name: words or [] for name, words in of_frames.items()}
    return Impairments(harms, seed, tcp_rto_min, ipv6, _buffer_bytes(tcp_buffer), queue)


def _buffer_bytes(text: str | None) -> int | None:
    if text is None:
        return None
    try:
        buffer_bytes = parse_bytes(text)
    except BadInput as error:
        raise BadInput(f"--tcp-buffer {text}: {error}") from None
    if not _LEAST_BUFFER <= buffer_bytes <= _MOST_BUFFER:
        least, most = format_bytes(_LEAST_BUFFER), format_bytes(_MOST_BUFFER)
        raise BadInput(f"--tcp-buffer {text}: TCP's buffers are from {least} to {most} long here")
    return buffer_bytes
