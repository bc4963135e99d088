"""Serves 300 queries through LiteLLM, with mock answers, and keeps the spend logs that it writes of them.

    pip install costproof 'litellm[proxy]==1.106.2'
    python examples/log_from_litellm.py FOLDER

A platform of the paper's kind stands before LiteLLM's router: it asks the provider that the auction chose, at a price
at which LiteLLM books what the auction pays. No model is asked and nothing leaves the machine. The rows are those that
a LiteLLM proxy stores (`get_logging_payload`, from a success callback). Their ids and times differ from run to run.
"""

import asyncio
import gzip
import json
import os
import sys
from datetime import datetime
from pathlib import Path

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # no download of prices

import litellm
from litellm.integrations.custom_logger import CustomLogger
from litellm.proxy.spend_tracking.spend_tracking_utils import get_logging_payload
from logs_as_they_are import QUERIES, USD, queries, write_csv

PROMPT_TOKENS = 180


class SpendLogs(CustomLogger):
    """Keeps the spend log of every answer."""

    def __init__(self):
        super().__init__()
        self.rows = []

    async def async_log_success_event(self, kwargs, response_obj, start_time, end_time):
        """Called by LiteLLM after an answer."""
        self.rows.append(get_logging_payload(kwargs, response_obj, start_time, end_time))


def answer(tokens):
    """Return what a provider answers, and how many tokens it says it took."""
    usage = litellm.Usage(prompt_tokens=PROMPT_TOKENS, completion_tokens=tokens, total_tokens=PROMPT_TOKENS + tokens)
    message = {"role": "assistant", "content": "a mock answer"}
    return litellm.ModelResponse(choices=[{"index": 0, "message": message, "finish_reason": "stop"}], usage=usage)


async def serve(rows, logs):
    """Send every query to its provider, one after the other; return LiteLLM's ids."""
    names = sorted({row["name"] for row in rows})
    deployments = [
        {"model_name": name, "litellm_params": {"model": f"openai/{name}", "api_key": "none"}} for name in names
    ]
    router = litellm.Router(model_list=deployments)
    ids = []
    for row in rows:
        answered = await router.acompletion(
            model=row["name"],
            messages=[{"role": "user", "content": f"question {row['number']}"}],
            mock_response=answer(row["tokens"]),
            input_cost_per_token=0.0,
            output_cost_per_token=row["payment"] * USD / row["tokens"],
        )
        ids.append(answered.id)
    while len(logs.rows) < QUERIES:  # callbacks run beside the calls
        await asyncio.sleep(0.1)
    return ids


def main() -> None:
    """Write the spend logs, and the scores and bids that the application knows of each request."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    rows, logs = list(queries()), SpendLogs()
    litellm.callbacks = [logs]
    ids = asyncio.run(serve(rows, logs))
    with gzip.open(folder / "litellm_spend_logs.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row, default=datetime.isoformat) + "\n" for row in logs.rows)
    known = ({"score": row["score"], "bid": row["bid"] * USD} for row in rows)
    write_csv(
        folder / "litellm_feedback.csv",
        [{"request_id": request, **each} for request, each in zip(ids, known, strict=True)],
    )


if __name__ == "__main__":
    main()
