"""What looks after a stack: its alarms, what they cost, and what a person has to know."""
