"""``trunkline_papers bench``: the papers' measurements, on the lab; and what they plan alone."""

from trunkline.cli.app import App
from trunkline_papers.cli.bench_grid import grid
from trunkline_papers.cli.bench_gsum import gsum
from trunkline_papers.cli.bench_gsum_study import gsum_study
from trunkline_papers.cli.bench_heights import HeightsCommand, heights
from trunkline_papers.cli.bench_model import model
from trunkline_papers.cli.bench_multicast import multicast
from trunkline_papers.cli.bench_peers import peers
from trunkline_papers.cli.bench_wave_optimality import wave_optimality

__all__ = ["app"]

app = App(help="Measure on the emulated cluster what papers measure, and lay what they lay.", no_args_is_help=True)

app.command(
    epilog="Example: trunkline_papers bench peers --cluster cyclic --sizes 8KiB,64KiB,256KiB,1MiB --json peers.json "
    "--report peers.html"
)(peers)
app.command(
    epilog="Example: trunkline_papers bench multicast --receivers 2-7,15,31 --loss 0,0.1%,1%,5% "
    "--peers pvm,lam,uftp,udpcast,norm --json out.json --report out.html --figures figures"
)(multicast)
app.command(
    cls=HeightsCommand,
    epilog="Example: trunkline_papers bench heights --hosts 16,64,256,1024 --json heights.json --svg heights.svg",
)(heights)
app.command(
    epilog="Example: trunkline_papers bench gsum --cluster 8w --mpi mpich --plans initial,tuned,native --json gsum.json"
)(gsum)
app.command(
    name="gsum-study",
    epilog="Example: trunkline_papers bench gsum-study --cluster 8w --mpi mpich --report study.html",
)(gsum_study)
app.command(
    epilog="Example: trunkline_papers bench model --cluster paper-4 --mpi mpich --measured net.yaml --svg model.svg"
)(model)
app.command(
    name="wave-optimality",
    epilog="Example: trunkline_papers bench wave-optimality --graphs 1000 --json out.json --svg out.svg",
)(wave_optimality)
app.command(epilog="Example: trunkline_papers bench grid --json grid.json --svg grid.svg")(grid)
