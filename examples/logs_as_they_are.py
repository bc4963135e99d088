"""Writes two logs in the columns of other programs: an activity export of OpenRouter, and a round log of the authors.

The 300 queries of `log_from_litellm.py`, a simulated run of the paper's market gpqa-strong. Neither program ran:
docs/audit.md says from where their columns are known. Scores and bids, which no gateway knows, stand in another file.
"""

import csv
import math
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import costproof
from mechanism.config import MechanismConfig
from mechanism.replay import Replay

MARKET, QUERIES = "gpqa-strong", 300
START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
USD = 1e-6  # the market's money is 1e-6 USD


def queries():
    """Yield the queries: number, provider, payment, score, cost, bid left behind, tokens, time."""
    setting = costproof.published(MARKET).setting
    trace = costproof.simulate(MARKET, horizon=QUERIES, seed=11)
    columns = (trace.provider, trace.payment, trace.score, trace.bid, trace.cost)
    for number, row in enumerate(zip(*(column.tolist() for column in columns), strict=True)):
        provider, payment, score, bid, cost = row
        yield {
            "number": number,
            "provider": provider,
            "name": setting.providers[provider].name,
            "payment": payment,
            "score": score,
            "bid": bid,
            "cost": cost,
            "tokens": round(20 * cost),
            "time": START + timedelta(seconds=7 * number, milliseconds=13 * number % 1000),
        }


def write_csv(path, rows, end="\n"):
    """Rows with the same keys, under a header."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator=end)
        writer.writeheader()
        writer.writerows(rows)


def write_openrouter(folder, rows):
    """The activity export, the newest first; grades and bids by generation."""
    generations = [
        {
            "generation_id": f"gen-{1772355600 + row['number']}",
            "created_at": row["time"].strftime("%Y-%m-%d %H:%M:%S.%f")[:-3],
            "cost_total": row["payment"] * USD,
            "cost_web_search": 0,
            "cost_cache": 0,
            "cost_file_processing": 0,
            "byok_usage_inference": 0,
            "tokens_prompt": 180,
            "tokens_completion": row["tokens"],
            "tokens_reasoning": 0,
            "tokens_cached": 0,
            "model_permaslug": f"example/{row['name'].lower()}",
            "provider_name": row["name"],
            "variant": "standard",
            "cancelled": "false",
            "streamed": "true",
            "user": "",
            "finish_reason_raw": "stop",
            "finish_reason_normalized": "stop",
            "generation_time_ms": 900 + row["number"] % 70,
            "time_to_first_token_ms": 200 + row["number"] % 30,
            "app_name": "router",
            "api_key_name": "example",
        }
        for row in rows
    ]
    write_csv(folder / "openrouter_activity.csv", generations[::-1])
    known = ({"grade": row["score"], "bid": row["bid"] * USD} for row in rows)
    write_csv(
        folder / "openrouter_grades.csv",
        [{"generation": each["generation_id"], **more} for each, more in zip(generations, known, strict=True)],
    )


def write_authors(folder, rows):
    """A row a round, with the state before it: the bid that stood, and `nan` where initialization has none."""
    setting = costproof.published(MARKET).setting
    replay = Replay(MechanismConfig.of(setting), costproof.simulate(MARKET, horizon=QUERIES, seed=11))
    rounds = []
    for t, row in enumerate(rows):
        i, eligible, scores = row["provider"], replay.eligible[t], replay.adjusted_bids[t]
        phase = "init" if replay.initialization[t] else "explore" if replay.exploration[t] else "main"
        others = [score for j, score in enumerate(scores.tolist()) if eligible[j] and j != i]
        drawn = {"init": 0, "explore": int(replay.under_sampled[t].sum()), "main": 1}
        rounds.append(
            {
                "t": t + 1,
                "phase": phase,
                "winner": row["name"],
                "qid": f"gpqa_{37 * t % 546}",
                "sample_index": 11 * t % 128,
                "correctness": int(row["score"]),
                "num_tokens": row["tokens"],
                "cost": row["cost"],
                "payment": row["payment"],
                "critical_payment": row["payment"] if phase == "main" else math.nan,
                "m_winner": int(replay.counts[t, i]),
                "bid_winner": float(replay.standing_bids[t, i]) if phase != "init" else math.nan,
                "score_winner": float(scores[i]) if phase != "init" else math.nan,
                "runner_up_score": min(others) if phase == "main" else math.nan,
                "n_eligible": len(eligible) if phase == "init" else int(eligible.sum()),
                "tie_size": drawn[phase],
            }
        )
    write_csv(folder / "authors_rounds.csv", rounds, end="\r\n")


def main() -> None:
    """Write the logs into a folder."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    folder.mkdir(parents=True, exist_ok=True)
    rows = list(queries())
    write_openrouter(folder, rows)
    write_authors(folder, rows)


if __name__ == "__main__":
    main()
