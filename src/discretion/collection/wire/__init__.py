"""What goes over the wire, byte by byte, and how it is checked: docs/protocol.md says the same in words."""
