"""``trunkline_papers simulate``: whole programs of papers on simulated hosts."""

from trunkline.cli.app import App
from trunkline_papers.cli.simulate_broadcasts import broadcasts
from trunkline_papers.cli.simulate_gsum import gsum
from trunkline_papers.cli.simulate_matmul import matmul
from trunkline_papers.cli.simulate_threads import threads

__all__ = ["app"]

app = App(help="Simulate the papers' programs: with SimGrid, and the allreduce paper's threads.", no_args_is_help=True)

app.command(
    epilog="Example: trunkline_papers simulate gsum --cluster 8w --plans initial,tuned,native,steps --json gsum.json"
)(gsum)
app.command(epilog="Example: trunkline_papers simulate matmul --hosts 2-8 --rate 100Mbit,1Gbit --svg speed-up.svg")(
    matmul
)
app.command(epilog="Example: trunkline_papers simulate threads --cluster 8w --json threads-8w.json")(threads)
app.command(
    epilog="Example: trunkline_papers simulate broadcasts --figures broadcast-17,broadcast-18 --json own-hosts.json"
)(broadcasts)
