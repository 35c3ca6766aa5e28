"""What a project is made of: its settings, and the check of all that they name."""
