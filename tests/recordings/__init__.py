"""The census: spaces, designs, tables, and what they say."""
