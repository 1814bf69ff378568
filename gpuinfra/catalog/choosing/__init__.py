"""The choice of a machine: what is asked for, who fits, who wins and why each other loses."""
