"""``trunkline algorithms``: what can run."""

from trunkline import _core
from trunkline.cli.options import JsonOption
from trunkline.cli.output import write_json
from trunkline.terminal import output, titled_table


def algorithms(
    json: JsonOption = None,
) -> None:
    """List the algorithms with what they need and what they cost."""
    entries = _core.algorithms()
    if json:
        fields = ("collective", "name", "description", "restrictions", "cost", "needs_cluster", "family")
        write_json([{field: getattr(entry, field) for field in fields} for entry in entries], json)
        return
    collectives = list(dict.fromkeys(entry.collective for entry in entries))
    for collective in collectives:
        columns = ("algorithm", "what it does", "needs", "time")
        table = titled_table(collective, *columns, left=columns, wrap=columns)
        for name in _core.algorithm_names(collective):
            first = name.split(" to ")[0]
            entry = next(e for e in entries if e.collective == collective and e.name == first)
            table.add_row(name, entry.description, entry.restrictions or "-", entry.cost)
        output().print(table)
