"""What has been published about the same people, and what a next publication gives away beside it."""
