"""Square-root model of congestion avoidance: Mathis et al. (1997), by a blog article of 2013."""
