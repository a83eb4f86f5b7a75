"""Edit several files as one transaction: lock, record, steps, log and versions."""
