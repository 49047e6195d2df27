"""The ways to get a summary: by rule, from the calling agent, from a program, from an endpoint."""
