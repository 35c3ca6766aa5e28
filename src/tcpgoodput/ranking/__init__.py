"""What a comparison says: who is nearest where, as tables, pictures and a chart of advice."""
