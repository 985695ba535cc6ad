-- From staged text to the log. Variables: zone, decimal_comma. Tables: known_pools, known_mechanisms, staged.

CREATE OR REPLACE TEMP MACRO with_point(value) AS CASE
    WHEN NOT getvariable('decimal_comma')::BOOLEAN THEN value
    -- Where the comma is the decimal mark, a point can only be a thousands sign, which is not read.
    WHEN contains(value, '.') THEN replace(value, '.', '''')
    ELSE replace(value, ',', '.')
END;

CREATE OR REPLACE TEMP VIEW staged_texts AS
SELECT
    source, source_row, raw, defect,
    said(query_id) AS query_id, said(ts) AS ts, said(pool) AS pool, analyst, purpose, query_text,
    said(status) AS status, said(mechanism) AS mechanism,
    with_point(said(epsilon)) AS epsilon, with_point(said(rho)) AS rho, with_point(said(delta)) AS delta,
    with_point(said(noise_scale)) AS noise_scale, with_point(said(sensitivity)) AS sensitivity,
    with_point(said(clip_norm)) AS clip_norm, with_point(said(sampling_rate)) AS sampling_rate,
    said(sampling) AS sampling, said("count") AS "count",
    said(partition_scheme) AS partition_scheme, said(partition) AS partition,
    CASE WHEN said(mechanism) = 'post_processing' THEN names_in(said(parents)) END AS parents,
    said(query_id) IS NULL AS id_blank,
    said(mechanism) = 'post_processing' AND len(names_in(said(parents))) = 0 AS parents_blank,
    time_problem(said(ts)) AS ts_problem
FROM staged;

CREATE OR REPLACE TEMP TABLE judged AS SELECT * FROM judge('staged_texts');

CREATE OR REPLACE TEMP TABLE accepted AS
SELECT
    query_id, instant_of(ts) AS ts, pool, nullif(analyst, '') AS analyst, nullif(purpose, '') AS purpose,
    nullif(query_text, '') AS query_text, status, mechanism,
    epsilon_value(epsilon) AS epsilon, epsilon_value(rho) AS rho, delta_value(delta) AS delta,
    try_cast(ltrim(noise_scale, '+') AS DOUBLE) AS noise_scale,
    try_cast(ltrim(sensitivity, '+') AS DOUBLE) AS sensitivity,
    try_cast(ltrim(clip_norm, '+') AS DOUBLE) AS clip_norm,
    try_cast(ltrim(sampling_rate, '+') AS DOUBLE) AS sampling_rate,
    sampling, count_value("count") AS "count", partition_scheme, partition, parents, source, source_row
FROM judged
WHERE problem IS NULL;

-- Rows of this import that share an id, and rows whose id the log has: each content is kept once.
CREATE OR REPLACE TEMP TABLE known_ids AS
SELECT query_id FROM accepted GROUP BY query_id HAVING count(*) > 1
UNION
SELECT a.query_id FROM accepted AS a WHERE a.query_id IN (SELECT query_id FROM query_log);

CREATE OR REPLACE TEMP TABLE contents AS
SELECT *, row_number() OVER (
    PARTITION BY
        query_id, ts, pool, analyst, purpose, query_text, status, mechanism, epsilon, rho, delta, noise_scale,
        sensitivity, clip_norm, sampling_rate, sampling, "count", partition_scheme, partition, parents
    ORDER BY held DESC, source_order, source_row) AS place
FROM (
    SELECT *, true AS held, 0 AS source_order FROM query_log WHERE query_id IN (SELECT query_id FROM known_ids)
    UNION ALL
    SELECT a.*, false AS held, f.position AS source_order
    FROM accepted AS a JOIN staged_files AS f ON f.digest = a.source
    WHERE a.query_id IN (SELECT query_id FROM known_ids)
);

CREATE OR REPLACE TEMP TABLE duplicates AS
SELECT pool, source, count(*) AS copies FROM contents WHERE NOT held AND place > 1 GROUP BY pool, source;

CREATE OR REPLACE TEMP TABLE fresh AS
SELECT * FROM accepted WHERE query_id NOT IN (SELECT query_id FROM known_ids)
UNION ALL
SELECT * EXCLUDE (held, source_order, place) FROM contents WHERE NOT held AND place = 1;
