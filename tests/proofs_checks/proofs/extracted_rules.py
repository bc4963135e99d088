# ruff: noqa
# mypy: ignore-errors
# fmt: off
"""The programs of Rules.v, as Coq extracts them: made by `kernel_extraction.py`, not to be edited.

Numbers are whatever `numbers` says to calculate with. Whole numbers, booleans, lists and options are Python's own.
"""

from enum import Enum
from typing import Any, NamedTuple


class Some(NamedTuple):
    value: Any

class Build_numbers(NamedTuple):
    plus: Any
    minus: Any
    over: Any
    whole: Any
    at_most: Any

class Build_provider(NamedTuple):
    quality: Any
    radius: Any
    bid: Any
    cost_radius: Any
    count: Any

class Build_tally(NamedTuple):
    served: Any
    scores: Any
    standing: Any

class Build_query(NamedTuple):
    server: Any
    score: Any
    offer: Any

class kind(Enum):
    Exploration = 'Exploration'
    Auction = 'Auction'
    Empty = 'Empty'

def nobody(numeric):
    return Build_provider(numeric.whole(0), numeric.whole(0), numeric.whole(0), numeric.whole(0), 0)

def provider_at(numeric, providers, i):
    return (providers[i] if i < len(providers) else nobody(numeric))

def everybody(_, providers):
    return tuple(range(0, 0 + len(providers)))

def may_qualify(numeric, providers, threshold, i):
    return numeric.at_most(threshold, numeric.plus(provider_at(numeric, providers, i).quality, provider_at(numeric, providers, i).radius))

def eligible(numeric, providers, threshold):
    return tuple(filter((lambda x0: may_qualify(numeric, providers, threshold, x0)), everybody(numeric, providers)))

def below_goal(numeric, providers, goal, i):
    return (not numeric.at_most(goal, numeric.whole(provider_at(numeric, providers, i).count)))

def under_sampled(numeric, providers, threshold, goal):
    return tuple(filter((lambda x0: below_goal(numeric, providers, goal, x0)), eligible(numeric, providers, threshold)))

def adjusted(numeric, providers, i):
    return numeric.minus(provider_at(numeric, providers, i).bid, provider_at(numeric, providers, i).cost_radius)

def lowest(numeric, providers, among):
    def part_1(i):
        def part_2(j):
            return numeric.at_most(adjusted(numeric, providers, i), adjusted(numeric, providers, j))
        return all(map(part_2, among))
    return tuple(filter(part_1, among))

def rivals(numeric, providers, threshold, i):
    def part_1(j):
        return (not (j == i))
    return tuple(filter(part_1, eligible(numeric, providers, threshold)))

def least(numeric, first, others):
    match others:
        case ():
            return first
        case (next, *rest):
            return least(numeric, (first if numeric.at_most(first, next) else next), rest)

def critical_payment(numeric, providers, threshold, i):
    match tuple(map((lambda x0: adjusted(numeric, providers, x0)), rivals(numeric, providers, threshold, i))):
        case ():
            return None
        case (first, *others):
            return Some(numeric.plus(provider_at(numeric, providers, i).cost_radius, least(numeric, first, others)))

def auction_payment(numeric, providers, threshold, cost_bound, i):
    match critical_payment(numeric, providers, threshold, i):
        case Some(critical):
            return (cost_bound if numeric.at_most(cost_bound, critical) else critical)
        case None:
            return cost_bound

def kind_of_query(numeric, providers, threshold, goal):
    match eligible(numeric, providers, threshold):
        case ():
            return kind.Empty
        case (_, *_):
            match under_sampled(numeric, providers, threshold, goal):
                case ():
                    return kind.Auction
                case (_, *_):
                    return kind.Exploration

def candidates(numeric, providers, threshold, goal):
    match kind_of_query(numeric, providers, threshold, goal):
        case kind.Exploration:
            return under_sampled(numeric, providers, threshold, goal)
        case kind.Auction:
            return lowest(numeric, providers, eligible(numeric, providers, threshold))
        case kind.Empty:
            return everybody(numeric, providers)

def payment(numeric, providers, threshold, cost_bound, goal, i):
    match kind_of_query(numeric, providers, threshold, goal):
        case kind.Auction:
            return auction_payment(numeric, providers, threshold, cost_bound, i)
        case _:
            return cost_bound

def mean(numeric, total, n):
    return numeric.over(total, numeric.whole(n))

def unheard(numeric):
    return Build_tally(0, numeric.whole(0), numeric.whole(0))

def tally_at(numeric, tallies, i):
    return (tallies[i] if i < len(tallies) else unheard(numeric))

def told(numeric, one, q):
    return Build_tally((one.served + 1), numeric.plus(one.scores, q.score), q.offer)

def settled(numeric, tallies, q):
    def part_1(i):
        return (told(numeric, tally_at(numeric, tallies, i), q) if (i == q.server) else tally_at(numeric, tallies, i))
    return tuple(map(part_1, tuple(range(0, 0 + len(tallies)))))

def known_of(numeric, beta, width, one):
    return Build_provider(mean(numeric, one.scores, one.served), beta(one.served), one.standing, width(one.served), one.served)

def fresh(numeric, tallies):
    def part_1(i):
        return (tally_at(numeric, tallies, i).served == 0)
    return tuple(filter(part_1, tuple(range(0, 0 + len(tallies)))))

def may_serve(numeric, beta, width, g, threshold, step, tallies):
    return (fresh(numeric, tallies) if (step <= len(tallies)) else candidates(numeric, tuple(map((lambda x0: known_of(numeric, beta, width, x0)), tallies)), threshold, g(step)))

def price(numeric, beta, width, g, threshold, cost_bound, step, tallies, i):
    return (cost_bound if (step <= len(tallies)) else payment(numeric, tuple(map((lambda x0: known_of(numeric, beta, width, x0)), tallies)), threshold, cost_bound, g(step), i))

def after(numeric, n, log):
    match log:
        case ():
            return (unheard(numeric),) * n
        case (q, *earlier):
            return settled(numeric, after(numeric, n, earlier), q)

def permitted(numeric, beta, width, g, threshold, n, log):
    match log:
        case ():
            return True
        case (q, *earlier):
            return (any(map((lambda x0: (q.server == x0)), may_serve(numeric, beta, width, g, threshold, (len(earlier) + 1), after(numeric, n, earlier)))) and permitted(numeric, beta, width, g, threshold, n, earlier))

def may_qualify_decided(numeric, low, high, threshold, i):
    return (may_qualify(numeric, low, threshold, i) == may_qualify(numeric, high, threshold, i))

def goal_decided(numeric, low, goal_low, goal_high, i):
    return (below_goal(numeric, low, goal_low, i) == below_goal(numeric, low, goal_high, i))

def order_decided(numeric, low, high, i, j):
    return (((provider_at(numeric, low, i).count == provider_at(numeric, low, j).count) or numeric.at_most(adjusted(numeric, low, i), adjusted(numeric, high, j))) or (not numeric.at_most(adjusted(numeric, high, i), adjusted(numeric, low, j))))

def decided(numeric, low, high, threshold, goal_low, goal_high):
    def part_1(i):
        return all(map((lambda x0: order_decided(numeric, low, high, i, x0)), eligible(numeric, low, threshold)))
    return ((all(map((lambda x0: may_qualify_decided(numeric, low, high, threshold, x0)), everybody(numeric, low))) and all(map((lambda x0: goal_decided(numeric, low, goal_low, goal_high, x0)), eligible(numeric, low, threshold)))) and all(map(part_1, eligible(numeric, low, threshold))))
