"""Settings of a project, the check of all its files, and the folders and manifest of a run."""
