"""Files: written whole or not at all, tables with the digits that hold on any machine."""
