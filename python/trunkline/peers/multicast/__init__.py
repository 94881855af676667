"""``trunkline bench multicast``: broadcasts over receivers and loss, beside the paper's peers and file transfers."""
