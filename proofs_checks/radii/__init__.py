"""What another confidence radius changes: guarantees and simulated runs side by side."""
