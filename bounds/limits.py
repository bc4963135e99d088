"""The largest horizon, and why: said once, where text is read and where a horizon is checked."""

#: Doubles tell whole numbers apart up to 2^53; a horizon beyond 2^52 is not taken nor searched for, so that neither it
#: nor its double is rounded.
LARGEST_HORIZON = 2**52
#: What an error says of a larger one: the rule, and the reason.
NOT_LARGER = "must not exceed 2^52"
WHY_NOT_LARGER = "larger counts are not exact in floating point"
