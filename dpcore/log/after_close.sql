-- Charged rows of a pool after it was closed.
SELECT count(*), min(query_id, 20)
FROM (SELECT query_id, pool, status, instant FROM single_rows UNION ALL SELECT query_id, pool, status, instant FROM version_rows)
WHERE pool = $pool AND status IN ('released', 'failed') AND instant > $closed_at;
