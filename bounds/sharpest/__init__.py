"""What no expression states: counts that are searched for, and sums over counts and steps. All round to the safe side."""
