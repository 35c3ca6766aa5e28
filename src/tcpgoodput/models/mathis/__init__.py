"""The macroscopic square-root model of congestion avoidance (Mathis et al.; the blog's article)."""
