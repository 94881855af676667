"""``trunkline doctor`` outside a job: this machine, and the cluster file beside what others say of the network."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import typer
from rich.markup import escape

from trunkline import __version__, _core
from trunkline.cli.output import check_outputs, write_json
from trunkline.cluster import fingerprint_text, load_cluster
from trunkline.doctor.drift import place_findings, rate_findings
from trunkline.doctor.finding import Finding, as_json, is_well, note, ok, verdict
from trunkline.doctor.here import findings_here
from trunkline.doctor.stated_switches import lldp_here, lldp_places, slurm_file, slurm_places
from trunkline.pairs.file import load_pairs
from trunkline.terminal import console, output

_MARKS = {"ok": "[green]ok   [/]", "note": "note ", "wrong": "[bold red]wrong[/]"}


def doctor_here(
    cluster: str | None, slurm: str | None, lldp: list[str] | None, pairs: str | None, json: str | None
) -> None:
    """Look, print a page, and end with status 1 where something is wrong."""
    check_outputs({"--json": json})
    network = load_cluster(cluster) if cluster else None
    told = {} if slurm is None else {slurm: slurm_places(slurm)}
    heard = lldp_places(lldp) if lldp else None
    found: list[Finding] = []
    shown = json != "-"
    with console.status("looking"):
        for one in _findings(network, told, heard, pairs):
            found.append(one)
            if shown:
                _print(one)
    if shown:
        output().print(f"[bold]{verdict(found)}[/]", soft_wrap=True)
        if json is None:
            words = "'trunkline doctor --json doctor.json' writes all of it into one file, to attach to a question."
            output(highlight=False).print(words, style="dim", soft_wrap=True)
    write_json({"trunkline": __version__, "findings": as_json(found), "verdict": verdict(found)}, json)
    if not is_well(found):
        raise typer.Exit(1)


def _findings(
    network: _core.Cluster | None, told: dict[str, dict[str, str]], heard: dict[str, str] | None, pairs: str | None
) -> Iterator[Finding]:
    yield from findings_here(network)
    if network is None:
        advice = (
            "describe the switches (docs/cluster-files.md, 'trunkline cluster import'), and name the file: --cluster"
        )
        yield note("cluster", "no cluster file is named, and without one Trunkline changes nothing", advice)
        return
    counts = f"{len(network.hosts)} hosts on {len(network.switches)} switches, fingerprint {fingerprint_text(network)}"
    yield ok("cluster", f"{network.name}: {counts}")
    own = slurm_file()
    for file, places in told.items() or ([(own, slurm_places(own))] if own else []):
        yield from place_findings(network, places, f"Slurm's {file}", tells_all=True)
    if heard is not None:
        yield from place_findings(network, heard, "LLDP", tells_all=False)
    elif (mine := lldp_here(socket.gethostname())) is not None:
        yield from place_findings(network, mine, "LLDP on this machine", tells_all=False)
    if pairs is not None:
        yield from rate_findings(network, load_pairs(pairs, network), pairs)
    else:
        advice = "in a job: trunkline measure --pairs -o pairs.json; then trunkline doctor --pairs pairs.json"
        yield note("drift", "no measured rates are beside the cluster file's", advice)


def _print(finding: Finding) -> None:
    terminal = output(highlight=False)
    terminal.print(f"{_MARKS[finding.state]} [bold]{escape(finding.topic)}[/]: {escape(finding.text)}", soft_wrap=True)
    if finding.advice:
        terminal.print(f"      -> {escape(finding.advice)}", soft_wrap=True)
