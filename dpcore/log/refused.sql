-- Refused rows of one pool (variable wanted_pool), or of none that is known.
SELECT query_id, pool, source, source_row, raw, reason
FROM (
    /*kept*/
    SELECT query_id, pool, source, source_row, raw, problem AS reason FROM contested_refused
    UNION ALL
    SELECT k.query_id, k.pool, k.source, k.source_row, k.raw, g.problem
    FROM (SELECT *, r::VARCHAR AS raw FROM keyed('single_rows') AS r) AS k
    JOIN judged_groups AS g ON g.gid = k.gid
    WHERE g.problem IS NOT NULL
)
WHERE CASE
    WHEN getvariable('wanted_pool') IS NOT NULL THEN said(pool) = getvariable('wanted_pool')
    ELSE said(pool) IS NULL OR said(pool) NOT IN (SELECT name FROM known_pools)
END
ORDER BY query_id, source, source_row
LIMIT getvariable('shown')::BIGINT;
