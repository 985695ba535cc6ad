"""A hospital data platform: one data set, one pool per disease group over disjoint patients, three years."""

from datetime import datetime

from dpcore.demo.desk import Desk, Topic
from dpcore.demo.rows import Row

YEARS = 3
DECADES = ("1930s", "1940s", "1950s", "1960s", "1970s", "1980s", "1990s", "2000s")

_COUNT = "SELECT COUNT(*) FROM admissions WHERE "

CARDIOLOGY = Desk(
    pool="cardiology",
    prefix="cardio",
    answers=4500,
    days=365.25 * YEARS,
    growth=9.0,
    analysts=("cardio-analyst-1", "cardio-analyst-2", "cardio-analyst-3", "cardio-registry", "cardio-dashboard"),
    topics=(
        Topic(
            "heart failure readmissions",
            (
                _COUNT + "diagnosis LIKE 'I50%' AND readmitted_within_30d AND year = {year} AND month = {month}",
                _COUNT + "diagnosis LIKE 'I50.{code}%' AND site = '{site}' AND year = {year}",
                "SELECT SUM(LEAST(length_of_stay, 30)) FROM admissions WHERE diagnosis LIKE 'I50%' AND year = {year}",
            ),
        ),
        Topic(
            "infarction pathway audit",
            (
                _COUNT + "diagnosis LIKE 'I21%' AND door_to_balloon_min <= {minutes} AND year = {year}",
                _COUNT + "diagnosis LIKE 'I21.{code}%' AND transferred AND site = '{site}'",
                "SELECT died_in_hospital, COUNT(*) FROM admissions WHERE diagnosis LIKE 'I21%' GROUP BY 1",
            ),
        ),
        Topic(
            "anticoagulation safety review",
            (
                _COUNT + "diagnosis LIKE 'I48%' AND bleeding_event AND year = {year} AND month = {month}",
                _COUNT + "atc_code LIKE 'B01AF0{code}' AND year = {year}",
            ),
        ),
        Topic(
            "bed planning",
            (
                _COUNT + "ward = 'cardiology' AND site = '{site}' AND admitted_on_weekday = {code} AND month = {month}",
                "SELECT admission_month, COUNT(*) FROM admissions WHERE site = '{site}' AND year = {year} GROUP BY 1",
            ),
        ),
    ),
    losses=(
        (45, {"mechanism": "laplace", "epsilon": "0.0075"}),
        (20, {"mechanism": "laplace", "epsilon": "0.006"}),
        (15, {"mechanism": "laplace", "epsilon": "0.005"}),
        (8, {"mechanism": "laplace", "epsilon": "0.0025"}),
        (6, {"mechanism": "laplace", "noise_scale": "200", "sensitivity": "1"}),
        (4, {"mechanism": "geometric", "noise_scale": "150", "sensitivity": "1"}),
        (2, {"mechanism": "exponential", "epsilon": "0.006"}),
    ),
    scheme="birth_decade",
    parts=DECADES,
    partitioned=0.09,
    denied=0.025,
    denied_losses=(
        (3, {"mechanism": "laplace", "epsilon": "0.25"}),
        (1, {"mechanism": "laplace", "epsilon": "1"}),
    ),
    failed=0.008,
    failed_before_release=0.012,
    post_processed=0.02,
)

ONCOLOGY = Desk(
    pool="oncology",
    prefix="onco",
    answers=1450,
    days=365.25 * YEARS,
    growth=2.0,
    analysts=("onco-analyst-1", "onco-analyst-2", "tumour-registry"),
    topics=(
        Topic(
            "tumour board quality indicators",
            (
                _COUNT + "diagnosis LIKE 'C50%' AND days_to_treatment <= 28 AND year = {year}",
                _COUNT + "diagnosis LIKE 'C34%' AND stage = {code} AND year = {year}",
                "SELECT stage, COUNT(*) FROM admissions WHERE diagnosis LIKE 'C18%' AND year = {year} GROUP BY 1",
            ),
        ),
        Topic(
            "chemotherapy capacity",
            (
                _COUNT + "procedure_code LIKE '8-54{code}%' AND site = '{site}' AND year = {year}",
                "SELECT SUM(LEAST(cycles, 12)) FROM admissions WHERE site = '{site}' AND year = {year}",
            ),
        ),
    ),
    losses=(
        (60, {"mechanism": "laplace", "epsilon": "0.01"}),
        (25, {"mechanism": "laplace", "epsilon": "0.0075"}),
        (15, {"mechanism": "laplace", "epsilon": "0.005"}),
    ),
    scheme="birth_decade",
    parts=DECADES,
    partitioned=0.15,
    denied=0.015,
    denied_losses=((1, {"mechanism": "laplace", "epsilon": "0.5"}),),
    failed=0.005,
    failed_before_release=0.01,
)

RESPIRATORY = Desk(
    pool="respiratory",
    prefix="resp",
    answers=620,
    days=365.25 * YEARS,
    analysts=("resp-analyst-1", "resp-analyst-2"),
    topics=(
        Topic(
            "seasonal influenza surveillance",
            (
                _COUNT + "diagnosis LIKE 'J1{code}%' AND year = {year}",
                "SELECT admission_week, COUNT(*) FROM admissions WHERE diagnosis LIKE 'J10%' GROUP BY 1",
            ),
        ),
        Topic("COPD follow-up", (_COUNT + "diagnosis LIKE 'J44%' AND readmitted_within_30d AND year = {year}",)),
    ),
    losses=(
        (70, {"mechanism": "laplace", "epsilon": "0.01"}),
        (30, {"mechanism": "geometric", "noise_scale": "125", "sensitivity": "1"}),
    ),
    denied=0.01,
    failed=0.004,
    failed_before_release=0.008,
)

DIABETES = Desk(
    pool="diabetes",
    prefix="diab",
    answers=300,
    days=365.25 * YEARS,
    analysts=("diab-analyst-1", "diab-registry"),
    topics=(
        Topic(
            "glycaemic control programme",
            (
                _COUNT + "diagnosis LIKE 'E11%' AND hba1c > 8 AND year = {year}",
                "SELECT SUM(LEAST(hba1c, 15)) FROM admissions WHERE diagnosis LIKE 'E11.{code}%'",
            ),
        ),
    ),
    losses=((1, {"mechanism": "laplace", "epsilon": "0.01"}),),
    failed_before_release=0.01,
)


def rows(as_of: datetime) -> list[Row]:
    """The rows of the hospital's pools up to `as_of`."""
    return [row for desk in (CARDIOLOGY, ONCOLOGY, RESPIRATORY, DIABETES) for row in desk.rows(as_of)]
