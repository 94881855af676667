"""What a job says with ``TRUNKLINE_EXPLAIN=json`` (docs/settings.md): the events in its standard error."""

import json
from typing import Any

JSON = {"TRUNKLINE_EXPLAIN": "json"}
Event = dict[str, Any]


def events(output: str, event: str | None = None, **wanted: object) -> list[Event]:
    """Those of this name, or all, whose members have the wanted values; in the order in which they were said."""
    said: list[Event] = [json.loads(line) for line in output.splitlines() if line.startswith('{"event": ')]
    return [one for one in said if (event is None or one["event"] == event) and wanted.items() <= one.items()]


def explained(output: str, **wanted: object) -> list[Event]:
    """The calls whose members have the wanted values."""
    return events(output, "call", **wanted)
