"""What is handed in: read with suspicion, tried out, and entered as a version of a bot."""
