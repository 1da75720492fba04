"""The bytes that parties exchange, and their checks; docs/explanation/protocol.md specifies the same in words."""
