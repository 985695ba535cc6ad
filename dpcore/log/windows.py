"""Windows and local days of a pool: calendar spans in its own time zone, clock changes included."""

from datetime import UTC, date, datetime, time, timedelta

from dpcore.pools import Pool


def day_start(pool: Pool, day: date) -> datetime:
    """The first instant of a local day, in UTC."""
    return datetime.combine(day, time(), tzinfo=pool.zone).astimezone(UTC)


def local_day(pool: Pool, instant: datetime) -> date:
    """The local day that an instant falls on."""
    return instant.astimezone(pool.zone).date()


def window_days(pool: Pool, as_of: datetime) -> tuple[date, date] | None:
    """First day of the window that `as_of` lies in, and first day after it; None for a pool without windows."""
    today = local_day(pool, as_of)
    if pool.window == "daily":
        return today, today + timedelta(days=1)
    if pool.window == "weekly":
        monday = today - timedelta(days=today.weekday())
        return monday, monday + timedelta(days=7)
    if pool.window == "monthly":
        first = today.replace(day=1)
        return first, (first + timedelta(days=31)).replace(day=1)
    return None


def window_bounds(pool: Pool, as_of: datetime) -> tuple[datetime, datetime] | None:
    """Start and end of the window that `as_of` lies in: start included, end not. In UTC; None without windows."""
    days = window_days(pool, as_of)
    return None if days is None else (day_start(pool, days[0]), day_start(pool, days[1]))
