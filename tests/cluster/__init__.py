"""The workflow on a cluster."""
