"""A short tour of a memory, told with a bundled conversation about a ticket kiosk and a trip to Lisbon."""
