"""The wire between the arena and its bots. Imports nothing of arena."""
