"""Five studies of TCP goodput over wireless links, on one scenario vocabulary."""
