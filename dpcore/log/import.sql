-- What of the accepted rows is new. Tables: accepted, staged_files, query_log.

-- Ids that occur more than once in this import, or are in the log already: each content is kept once.
CREATE TEMP TABLE known_ids AS
SELECT query_id FROM accepted GROUP BY query_id HAVING count(*) > 1
UNION
SELECT query_id FROM accepted WHERE query_id IN (SELECT query_id FROM query_log);

CREATE TEMP TABLE contents AS
SELECT
    query_id, ts, pool, analyst, purpose, query_text, status, mechanism, epsilon, rho, delta, noise_scale,
    sensitivity, clip_norm, sampling_rate, sampling, "count", partition_scheme, partition, parents,
    bool_or(held) AS held, min(position) AS position,
    arg_min(source, (position, source_row)) AS source, arg_min(source_row, (position, source_row)) AS source_row,
    count(*) FILTER (NOT held) AS copies
FROM (
    SELECT *, true AS held, -1 AS position FROM query_log WHERE query_id IN (SELECT query_id FROM known_ids)
    UNION ALL
    SELECT a.*, false AS held, f.position
    FROM accepted AS a
    JOIN staged_files AS f ON f.digest = a.source
    WHERE a.query_id IN (SELECT query_id FROM known_ids)
)
GROUP BY
    query_id, ts, pool, analyst, purpose, query_text, status, mechanism, epsilon, rho, delta, noise_scale,
    sensitivity, clip_norm, sampling_rate, sampling, "count", partition_scheme, partition, parents;

-- Repeats by pool; a content that the log does not hold yet is one new row and the rest repeats.
CREATE TEMP TABLE duplicates AS
SELECT pool, sum(CASE WHEN held THEN copies ELSE copies - 1 END)::BIGINT AS copies
FROM contents
GROUP BY pool
HAVING sum(CASE WHEN held THEN copies ELSE copies - 1 END) > 0;

CREATE TEMP VIEW fresh AS
SELECT * FROM accepted WHERE (query_id IN (SELECT query_id FROM known_ids)) IS NOT TRUE
UNION ALL BY NAME
SELECT * EXCLUDE (held, position, copies) FROM contents WHERE NOT held;
