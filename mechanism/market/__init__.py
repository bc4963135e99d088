"""Where scores and costs come from: potential outcomes, the same for every policy.

`laws` makes finite laws with exact means, `questions` is a benchmark asked in passes, `provider` is what one provider's
queries score and cost. `law_tables` puts laws into flat arrays for machine code. `published` states what is assumed of
the published settings. `market` builds the market of a setting from all of these; imports run towards it.
"""
