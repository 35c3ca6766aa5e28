"""One name, colour and marker for each model and engine, everywhere."""
