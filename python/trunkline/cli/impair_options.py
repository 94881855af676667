"""Options of all commands that run programs on a lab: what its network does to frames besides carrying them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any, Optional

import typer

from trunkline.compat import annotations_of
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
    own = inspect.signature(command)
    hints = annotations_of(command)
    parameters = [one.replace(annotation=hints[one.name]) for one in own.parameters.values()]
    parameters = [parameter for parameter in parameters if parameter.name != "impairments"]
    for name, (metavar, text) in _OPTIONS.items():
        option = typer.Option(metavar=metavar, help=text, rich_help_panel=_PANEL)
        parameters.append(_parameter(name, None, Annotated[Optional[list[str]], option]))
    seed = typer.Option(min=0, max=2**53, help="Another one harms other frames.", rich_help_panel=_PANEL)
    parameters.append(_parameter("seed", 1, Annotated[int, seed]))
    rto = typer.Option(
        min=1,
        max=10_000,
        metavar="MILLISECONDS",
        help="Hosts' TCP waits at least so long before it sends again what got lost; Linux: 200.",
        rich_help_panel=_PANEL,
    )
    parameters.append(_parameter("tcp_rto_min", None, Annotated[Optional[int], rto]))
    ipv6 = typer.Option("--ipv6", help="Give hosts an IPv6 address as well, fd00::1 and up.", rich_help_panel=_PANEL)
    parameters.append(_parameter("ipv6", False, Annotated[bool, ipv6]))
    buffer = typer.Option(
        metavar="BYTES",
        help="So far hosts' TCP buffers grow (128KiB), of which a window takes some half; default: as on this machine.",
        rich_help_panel=_PANEL,
    )
    parameters.append(_parameter("tcp_buffer", None, Annotated[Optional[str], buffer]))

    queue = typer.Option(
        min=2,
        max=1 << 20,
        metavar="FRAMES",
        help="So many full frames a switch's port holds before it drops; default: 512KiB, 340 of them.",
        rich_help_panel=_PANEL,
    )
    parameters.append(_parameter("queue", None, Annotated[Optional[int], queue]))

    @functools.wraps(command)
    def run(**given: Any) -> None:  # noqa: ANN401
        impairments = Impairments(
            {name: given.pop(name) or [] for name in _OPTIONS},
            given.pop("seed"),
            given.pop("tcp_rto_min"),
            given.pop("ipv6"),
            _buffer_bytes(given.pop("tcp_buffer")),
            given.pop("queue"),
        )
        command(**given, impairments=impairments)

    run.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


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


def _parameter(name: str, default: object, annotation: object) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=annotation)
