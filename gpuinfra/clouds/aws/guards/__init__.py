"""The guards of a stack: its alarms, their costs, and the notes for its users."""
