"""Where rows are held, and how they are asked about."""
