"""Options that belong together: several commands have them, and get them as one argument."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from trunkline.compat import annotations_of


def with_group(
    command: Callable[..., None], argument: str, options: Mapping[str, tuple[Any, Any]], make: Callable[..., object]
) -> Callable[..., None]:
    """The command with these options in place of an argument.

    Args:
        command: What Typer runs.
        argument: Its name.
        options: By name: an annotation as Typer reads it, and the default.
        make: It, made of the options by name.
    """
    own = inspect.signature(command)
    hints = annotations_of(command)
    parameters = [one.replace(annotation=hints[one.name]) for one in own.parameters.values() if one.name != argument]
    for name, (annotation, default) in options.items():
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        parameters.append(inspect.Parameter(name, kind, default=default, annotation=annotation))

    @functools.wraps(command)
    def run(**given: Any) -> None:  # noqa: ANN401
        made = make(**{name: given.pop(name) for name in options})
        command(**given, **{argument: made})

    run.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run
