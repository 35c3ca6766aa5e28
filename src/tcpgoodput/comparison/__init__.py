"""Models compared with simulation: on scenarios, grids of two parameters, random connections."""
