"""All models side by side: on a scenario, on a folder of them, and over regions of the plane."""
