"""The text memory: a core that is always loaded, and topics and agents that keywords find."""
