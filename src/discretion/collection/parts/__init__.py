"""The parties: what each keeps, what it does with it, and what it passes on."""
