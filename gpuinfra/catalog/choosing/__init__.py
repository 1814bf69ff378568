"""The choice of a machine: what is asked for, what fits, what wins and why each other loses."""
