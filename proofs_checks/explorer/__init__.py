"""The explorer: a local page on which a setting is turned by hand, and what it shows as pure functions.

`controls` holds what a reader can turn; `market_view`, `provider_view`, `auction_view` and `claims_view` turn that into
data, `pictures` data into figures, `words` and `notices` data and errors into sentences, `page` everything into a page,
and `server` answers the page on this machine alone. Only `page`, the panels, `plain_parts`, `set_text` and `server`
need Dash.
"""
