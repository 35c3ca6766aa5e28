"""Square-root model of Mathis et al. (1997), as a blog article of 2013 describes it."""
