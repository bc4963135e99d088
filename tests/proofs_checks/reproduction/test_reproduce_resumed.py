"""`reproduce --out` that is killed or interrupted: finished runs stay, and the same command ends with the same bits."""

from pathlib import Path

import pytest

from mechanism.campaign.store import CampaignStore
from proofs_checks.cli.main import main
from proofs_checks.reproduction.run import reproduce

pytestmark = pytest.mark.long("kills and resumes campaigns")

NAME = "gpqa-strong"
#: Two chunks for each of the five policies.
RUNS = 90
COMMAND = ("reproduce", NAME, "--runs", str(RUNS), "--jobs", "2", "--json")


def kept(folder: Path) -> int:
    with CampaignStore.existing(str(folder / NAME)) as store:
        return len(list(store.runs()))


def test_more_runs_go_on_and_another_seed_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reproduce([NAME], runs=2, out=str(tmp_path))
    assert reproduce([NAME], runs=3, out=str(tmp_path)).to_data() == reproduce([NAME], runs=3).to_data()
    assert kept(tmp_path) == 15
    assert main(["reproduce", NAME, "--runs", "2", "--seed", "1", "--out", str(tmp_path)]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "--out" in err
    assert "seed" in err
