"""What a project is made of: its settings, the check of all that they name, where a run is."""
