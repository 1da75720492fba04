"""Who is unique among all people, by models of the people whom a sample does not show."""
