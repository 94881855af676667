"""``trunkline cluster``: look at clusters and check their files."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

from trunkline import _core
from trunkline.cli import cluster_fit, cluster_import
from trunkline.cli.app import App
from trunkline.cli.options import ClusterOption, JsonOption, SvgOption
from trunkline.cli.output import check_outputs, write_json, write_text
from trunkline.cluster import (
    bundled_clusters,
    equal_cost_words,
    faulty,
    fingerprint_text,
    load_cluster,
    read_cluster,
    unused_words,
)
from trunkline.compat import StrEnum
from trunkline.draw.cluster import draw_cluster
from trunkline.draw.names import hostlist
from trunkline.draw.svg import link_text
from trunkline.draw.terminal import cluster_tree
from trunkline.sources.simgrid_export import simgrid_platform
from trunkline.terminal import output, titled_table


class Format(StrEnum):
    """What can be written."""

    SIMGRID = "simgrid"
    YAML = "yaml"


_WRITERS = {Format.SIMGRID: simgrid_platform, Format.YAML: _core.write_cluster}


def export(
    cluster: ClusterOption,
    format: Annotated[  # noqa: A002
        Format, typer.Option(help="SimGrid: platform XML, version 4.1; YAML: a cluster file.")
    ] = Format.SIMGRID,
    output: Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="'-' for standard output.")] = "-",
) -> None:
    """Write a cluster for another program, or as a cluster file; importing it again gives an equal cluster."""
    write_text(_WRITERS[format](load_cluster(cluster)).rstrip("\n"), output)


app = App(help="Look at clusters, check their files, and make them from other descriptions.", no_args_is_help=True)
app.add_typer(cluster_import.app, name="import")
app.command(epilog="Example: trunkline cluster fit my-cluster.yaml --pairs pairs.json -o measured.yaml")(
    cluster_fit.fit
)
app.command(epilog="Example: trunkline cluster export cyclic --format simgrid -o platform.xml")(export)


@app.command(name="list", epilog="Example: trunkline cluster list")
def list_clusters(json: JsonOption = None) -> None:
    """List the clusters that come with Trunkline."""
    clusters = [load_cluster(name) for name in bundled_clusters()]
    write_json([_summary(cluster) for cluster in clusters], json)
    if json == "-":
        return
    words = ("cluster", "what it is")
    table = titled_table("Bundled clusters", "cluster", "hosts", "switches", "what it is", left=words, wrap=words)
    for cluster in clusters:
        table.add_row(cluster.name, str(len(cluster.hosts)), str(len(cluster.switches)), escape(cluster.description))
    output(highlight=False).print(table)


@app.command(epilog="Example: trunkline cluster check my-cluster.yaml")
def check(cluster: ClusterOption, json: JsonOption = None) -> None:
    """Say whether a cluster file is right; if not, everything that is wrong with it, and exit with status 2."""
    try:
        found = read_cluster(cluster)
        _core.read_named_tables(found)
    except _core.FaultyFile as error:
        if json:
            faults = [{"file": f.file, "line": f.line, "column": f.column, "message": f.message} for f in error.faults]
            write_json({"ok": False, "faults": faults}, json)
        raise faulty(error) from None
    write_json({"ok": True, "faults": [], **_summary(found)}, json)
    if json == "-":
        return
    unused = ", ".join(link_name(link) for link in found.unused_links)
    merged = ", ".join(_merged_text(one) for one in found.merged)
    print(
        f"{cluster}: OK, {_counted(len(found.hosts), 'host')} on "
        f"{_counted(len(found.switches), 'switch', 'switches')}, {_counted(len(found.links), 'link')}, fingerprint "
        f"{fingerprint_text(found)} (of the topology alone: {found.topology_fingerprint:016x})"
        + (f"; one switch each by equal-cost paths: {merged}" if merged else "")
        + (f"; {unused_words(found)}: {unused}" if unused else "")
    )
    if remedy := equal_cost_words(found):
        print(f"{remedy[0].upper()}{remedy[1:]}.")


@app.command(epilog="Example: trunkline cluster show cyclic --svg cyclic.svg")
def show(
    cluster: ClusterOption,
    svg: SvgOption = None,
    json: JsonOption = None,
) -> None:
    """Draw a cluster in the terminal, and as SVG."""
    check_outputs({"--svg": svg, "--json": json})
    found = load_cluster(cluster)
    if svg:
        write_text(draw_cluster(found), svg)
    write_json(_everything(found), json)
    if "-" in (svg, json):
        return
    terminal = output(highlight=False)
    terminal.print(f"[bold]{escape(found.name)}[/]  {escape(found.description)}")
    terminal.print(cluster_tree(found))
    kinds = sorted({link_text(link) for link in found.links})
    terminal.print(f"Links: {'; '.join(kinds)}")
    for one in found.merged:
        terminal.print(f"One switch by equal-cost paths: {escape(_merged_text(one))}")
    words = unused_words(found)
    if found.is_routed:
        terminal.print("Between any two switches messages take the shortest path.")
    for link in found.unused_links:
        terminal.print(f"{words[0].upper()}{words[1:]}: {link_name(link)} ({link_text(link)})")
    if remedy := equal_cost_words(found):
        terminal.print(f"{remedy[0].upper()}{remedy[1:]}.", soft_wrap=True)


def link_name(link: _core.Link) -> str:
    """The names of its two ends."""
    return f"{link.a} - {link.b}"


def _merged_text(merged: _core.MergedSwitches) -> str:
    """``spine-0+1 for spine-[0-1]``."""
    return f"{merged.name} for {hostlist(merged.switches)}"


def _counted(number: int, one: str, many: str | None = None) -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def _summary(cluster: _core.Cluster) -> dict[str, object]:
    return {
        "cluster": cluster.name,
        "description": cluster.description,
        "hosts": len(cluster.hosts),
        "switches": len(cluster.switches),
        "links": len(cluster.links),
        "merged": [{"name": one.name, "switches": one.switches} for one in cluster.merged],
        "unused_links": [link_name(link) for link in cluster.unused_links],
        "fingerprint": fingerprint_text(cluster),
        "topology_fingerprint": f"{cluster.topology_fingerprint:016x}",
    }


def _everything(cluster: _core.Cluster) -> dict[str, object]:
    return {
        **_summary(cluster),
        "hosts": [
            {
                "name": name,
                "switch": cluster.switch_of(host),
                "aliases": cluster.aliases(host),
            }
            for host, name in enumerate(cluster.hosts)
        ],
        "switches": cluster.switches,
        "links": [
            {
                "between": [link.a, link.b],
                "rate_bps": link.rate_bps,
                "width": link.width,
                "latency_s": link.latency_s,
                "back": {"rate_bps": link.back_rate_bps, "latency_s": link.back_latency_s},
                "used": link.used,
            }
            for link in cluster.links
        ],
    }
