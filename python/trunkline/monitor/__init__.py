"""What ``trunkline monitor`` does: measures again, keeps a history, forecasts, and says what a new plan would gain."""
