"""What holds, and how we know: claims, verdicts and their evidence."""
