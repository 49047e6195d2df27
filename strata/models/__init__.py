"""Ways to get a summary; the one there is goes by rule, offline."""
