"""Model of OldTahoe, Tahoe, NewReno and SACK: packet trains over a Gilbert–Elliott channel."""
