"""What the referees measured: what is asked of them, how it is recorded, how it is read."""
