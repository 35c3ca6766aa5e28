"""The ledger: every claim put to the test, published and shown."""
