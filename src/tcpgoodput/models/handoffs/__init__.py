"""NewReno under periodic hand-offs that delay or lose packets (Sharma, Gillies and Feng)."""
