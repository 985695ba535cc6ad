-- The last released rows of each pool, newest first. counted(gid) holds the groups of released rows.
-- The cut comes first: ordering a million rows to keep a hundred would take longer than everything else.
WITH released AS (
    SELECT pool, gid, instant, query_id, conflict, future FROM keyed('single_rows') WHERE status = 'released'
    UNION ALL
    SELECT pool, gid, instant, query_id, conflict, future FROM keyed('version_rows') WHERE status = 'released'
),
shown AS (
    SELECT * FROM released
    WHERE gid IN (SELECT gid FROM counted) AND NOT (future AND getvariable('explicit')::BOOLEAN)
),
cuts AS (SELECT pool, list_min(max(instant, 100)) AS cut FROM shown GROUP BY pool)
SELECT s.pool, s.gid, s.conflict
FROM shown AS s
JOIN cuts AS c ON c.pool = s.pool AND s.instant >= c.cut
QUALIFY row_number() OVER (PARTITION BY s.pool ORDER BY s.instant DESC, s.query_id DESC, s.gid) <= 2 * getvariable('recent')
ORDER BY s.pool, s.instant DESC, s.query_id DESC, s.gid;
