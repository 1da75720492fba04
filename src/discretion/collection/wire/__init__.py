"""What goes over the wire, byte by byte, and how it is checked: docs/explanation/protocol.md says the same in words."""
