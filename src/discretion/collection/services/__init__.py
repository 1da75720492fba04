"""The services: a process over HTTP for each party of a task; each can be deployed alone."""
