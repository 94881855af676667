"""``trunkline_papers bench multicast``: broadcasts over receivers and loss, beside the paper's peers."""
