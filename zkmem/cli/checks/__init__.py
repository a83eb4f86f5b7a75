"""What `zkmem doctor` looks at."""
