"""What clients get without asking: at the start of a session, with a prompt, and at the end of a turn."""
