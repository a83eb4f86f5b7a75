"""What is known of the vault: its files, its links, and how both are kept up to date."""
