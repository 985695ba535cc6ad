-- The UTC days on which each pool charged something.
SELECT DISTINCT pool, CAST(timezone('UTC', instant) AS DATE)
FROM (SELECT pool, status, instant FROM single_rows UNION ALL SELECT pool, status, instant FROM version_rows)
WHERE pool IS NOT NULL AND instant IS NOT NULL AND status IN ('released', 'failed');
