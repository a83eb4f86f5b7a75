"""The text memory: a core that is always loaded, topics and agents, found by keywords."""
