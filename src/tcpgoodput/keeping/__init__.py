"""What a run published, told so that others can keep, compare and cite it."""
