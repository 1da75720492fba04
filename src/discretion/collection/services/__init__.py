"""The services: a process for each party of a task, over HTTP, each deployable alone."""
