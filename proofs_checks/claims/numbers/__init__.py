"""The numbers that the paper's PDF prints before its statements, as a table."""
