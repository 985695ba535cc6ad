"""Fixed times."""

from datetime import UTC, datetime

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
