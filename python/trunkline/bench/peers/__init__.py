"""``trunkline bench peers``: Trunkline side by side with what a user would run instead."""
