"""Writes three logs as other programs keep them, and prints the one command that audits each.

The same 300 queries of the paper's market gpqa-strong, three times: as the spend logs of a LiteLLM proxy, as an export
of OpenRouter's generations, and as the CSV of a simulator. The fields are those that these programs write; scores and
bids, which no gateway knows, stand in a file of their own.
"""

import csv
import json
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import costproof

MARKET, QUERIES = "gpqa-strong", 300
START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
USD = 1e-6  # the market's money is 1e-6 USD

COMMANDS = {
    "litellm": "costproof audit litellm_spend_logs.jsonl --setting gpqa-strong --columns provider=model,payment=spend "
    "--unit 1e6 --order-by startTime --join litellm_feedback.csv --on request_id",
    "openrouter": "costproof audit openrouter_generations.csv --setting gpqa-strong "
    "--columns provider=providerName,payment=totalCost,score=grade --unit 1e6 --order-by createdAt "
    "--join openrouter_grades.csv --on id=generation",
    "simulator": "costproof audit simulator_rounds.csv --setting gpqa-strong "
    "--columns step=round,provider=agent,payment=paid,score=reward --bids before",
}


def queries():
    """Yield the queries: number, provider, payment, score, bid left behind, bid in the auction, tokens, time."""
    setting = costproof.published(MARKET).setting
    trace, standing = costproof.simulate(MARKET, horizon=QUERIES, seed=11), {}
    columns = (trace.provider, trace.payment, trace.score, trace.bid, trace.cost)
    for number, row in enumerate(zip(*(column.tolist() for column in columns), strict=True)):
        provider, payment, score, bid, cost = row
        time = START + timedelta(seconds=7 * number, milliseconds=13 * number % 1000)
        yield {
            "number": number,
            "name": setting.providers[provider].name,
            "payment": payment,
            "score": score,
            "left": bid,
            "stood": standing.get(provider, ""),
            "tokens": round(20 * cost),
            "time": time,
        }
        standing[provider] = bid


def write_csv(path, rows):
    """Rows with the same keys, under a header."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def write_litellm(folder, rows):
    """Spend logs, the newest first, as a database gives them; and what the application knows of each request."""
    logs = [
        {
            "request_id": f"chatcmpl-{row['number']:06x}",
            "call_type": "acompletion",
            "api_key": "88dc28d0f0",
            "spend": row["payment"] * USD,
            "total_tokens": row["tokens"] + 180,
            "prompt_tokens": 180,
            "completion_tokens": row["tokens"],
            "startTime": row["time"].isoformat(),
            "endTime": (row["time"] + timedelta(seconds=2)).isoformat(),
            "model": row["name"],
            "model_id": f"id-{row['name'].lower()}",
            "model_group": "router",
            "cache_hit": "False",
            "request_tags": [],
        }
        for row in rows
    ]
    with open(folder / "litellm_spend_logs.jsonl", "w", encoding="utf-8") as file:
        file.writelines(json.dumps(log) + "\n" for log in reversed(logs))
    known = ({"score": row["score"], "bid": row["left"] * USD} for row in rows)
    write_csv(
        folder / "litellm_feedback.csv",
        [{"request_id": log["request_id"], **each} for log, each in zip(logs, known, strict=True)],
    )


def write_openrouter(folder, rows):
    """Generations, the newest first; grades and bids by generation."""
    generations = [
        {
            "id": f"gen-{1772355600 + row['number']}",
            "createdAt": row["time"].isoformat(),
            "providerName": row["name"],
            "totalCost": row["payment"] * USD,
            "tokensPrompt": 180,
            "tokensCompletion": row["tokens"],
            "finishReason": "stop",
            "latency": 900 + row["number"] % 70,
        }
        for row in rows
    ]
    write_csv(folder / "openrouter_generations.csv", generations[::-1])
    known = ({"grade": row["score"], "bid": row["left"] * USD} for row in rows)
    write_csv(
        folder / "openrouter_grades.csv",
        [{"generation": each["id"], **more} for each, more in zip(generations, known, strict=True)],
    )


def write_simulator(folder, rows):
    """A row a round, with the bid that stood in the auction, as simulators log it, and much besides."""
    paid = 0.0
    rounds = []
    for row in rows:
        paid += row["payment"]
        rounds.append(
            {
                "round": row["number"] + 1,
                "run": 0,
                "dataset": "gpqa",
                "agent": row["name"],
                "reward": row["score"],
                "bid": row["stood"],
                "paid": row["payment"],
                "total_paid": paid,
                "tokens": row["tokens"],
                "seed": 11,
            }
        )
    write_csv(folder / "simulator_rounds.csv", rounds)


def main() -> None:
    """Write the logs into a folder."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    folder.mkdir(parents=True, exist_ok=True)
    rows = list(queries())
    write_litellm(folder, rows)
    write_openrouter(folder, rows)
    write_simulator(folder, rows)
    sys.stdout.writelines(f"{command}\n" for command in COMMANDS.values())


if __name__ == "__main__":
    main()
