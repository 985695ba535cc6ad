"""One pool of each kind that the other scenarios do not have."""

from datetime import datetime

from dpcore.demo.desk import service
from dpcore.demo.rhythm import WORKING_WEEK
from dpcore.demo.rows import Row


def rows(as_of: datetime) -> list[Row]:
    """Pools with adaptive budgets, replace-one neighbours, a budget in ρ, and a daily window.

    The pool without rows has none here.
    """
    adaptive = service(
        "adaptive-explorer",
        "explorer",
        [
            {"mechanism": "approximate", "epsilon": epsilon, "delta": "1e-9"}
            for epsilon in ("0.05", "0.02", "0.01") * 12
        ],
        as_of=as_of,
        days=120,
        analyst="research-notebook",
        purpose="exploration, the size of each query chosen after the answers before it",
        query_text="SELECT COUNT(*) FROM panel WHERE segment = 'chosen after the last answer'",
        week=WORKING_WEEK,
    )
    survey = service(
        "replace-one-survey",
        "survey",
        [
            {"mechanism": "gaussian", "noise_scale": "40", "clip_norm": "1", "epsilon": "0.25", "delta": "1e-8"}
            if number % 3
            else {"mechanism": "laplace", "epsilon": "0.02"}
            for number in range(36)
        ],
        as_of=as_of,
        days=150,
        analyst="survey-analyst-1",
        purpose="satisfaction survey, fixed number of respondents",
        query_text="SELECT SUM(score) FROM answers, scores scaled to [-1, 1]",
        week=WORKING_WEEK,
    )
    mobility = service(
        "rho-mobility-map",
        "mobility",
        [
            {"mechanism": "zcdp", "rho": "0.001"}
            if number % 2
            else {"mechanism": "discrete_gaussian", "noise_scale": "25", "sensitivity": "1"}
            for number in range(26)
        ],
        as_of=as_of,
        days=26 * 7,
        analyst="publication-job",
        purpose="weekly mobility map",
        query_text="Trips between districts, one release a week",
        week=WORKING_WEEK,
    )
    dashboard = service(
        "daily-dashboard",
        "dashboard",
        [{"mechanism": "laplace", "epsilon": "0.01"}] * (24 * 45),
        as_of=as_of,
        days=45,
        analyst="dashboard-job",
        purpose="hourly tile of the operations dashboard",
        query_text="SELECT COUNT(*) FROM visits WHERE hour = current_hour",
        hours=(1.0,) * 24,
    )
    return adaptive + survey + mobility + dashboard
