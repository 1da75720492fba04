"""What is known of the population once the reports are in."""
