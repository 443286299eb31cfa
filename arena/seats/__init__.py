"""Who sits at a table: bots behind wardens (`remote`), the house bot (`local`)."""
