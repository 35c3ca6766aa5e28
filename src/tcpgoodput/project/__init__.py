"""Parts of a project: its settings, their check, and the folders of a run."""
