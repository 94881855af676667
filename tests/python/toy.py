"""A kind of plan that is there for tests alone, as the command sees it."""

from trunkline.kinds.kind import PlanKind


class Toy(PlanKind):
    """One message that everybody hears."""

    way = "through the air"
    at_once = " in one shout"

    def is_replayed(self, plan):
        return False

    def extent(self, plan):
        return f"heard by {len(plan) - 1}"

    def show(self, console, cluster, placement, plan):
        console.print(f"{cluster.hosts[placement[plan.root]]} shouts")

    def as_json(self, plan):
        return {"shouts": [plan.root]}

    def draw(self, cluster, placement, plan, title):
        return f"<svg><title>{title}</title></svg>"

    def sketches(self, cluster, placement, plan, title):
        return [self.draw(cluster, placement, plan, title)]

    def refused_in_c(self, plan, collective):
        return f"is a plan for {collective} through the air; C is silent"

    def schedule(self, plan, collective):
        raise NotImplementedError

    def streams(self, plan):
        return 0
