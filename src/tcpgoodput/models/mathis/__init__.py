"""The macroscopic square-root model of congestion avoidance (Mathis et al.; the blog's article)."""

from tcpgoodput.models.mathis import curves, errata, square_root  # noqa: F401
