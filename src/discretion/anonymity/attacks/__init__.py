"""What an adversary gains who knows some columns, and what a table promises against her."""
