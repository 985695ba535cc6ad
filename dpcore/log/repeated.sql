-- Ids that occur more than once. The same id with the same content is a duplicate, counted once; with another content
-- it is a conflict, and every version stays. Reads the view log_rows.

-- Numbers are grouped first, then the few texts behind repeated numbers: a million texts would take ten times the room.
CREATE OR REPLACE TEMP TABLE suspects AS
SELECT hash(query_id) AS number FROM log_rows WHERE query_id IS NOT NULL GROUP BY 1 HAVING count(*) > 1;

CREATE OR REPLACE TEMP TABLE repeated AS
SELECT query_id
FROM log_rows
WHERE query_id IS NOT NULL AND hash(query_id) IN (SELECT number FROM suspects)
GROUP BY query_id
HAVING count(*) > 1;

-- Each content once, as the columns have it.
CREATE OR REPLACE TEMP TABLE repeated_contents AS
SELECT
    * EXCLUDE (source, source_row), min(source) AS source, min(source_row) AS source_row, count(*) AS copies
FROM log_rows
WHERE query_id IN (SELECT query_id FROM repeated)
GROUP BY ALL;

CREATE OR REPLACE TEMP TABLE contested AS
SELECT query_id FROM repeated_contents GROUP BY query_id HAVING count(*) > 1;

-- Of the others nothing is to be decided: they are read like rows that occur once.
CREATE OR REPLACE TEMP VIEW settled_rows AS
SELECT * FROM repeated_contents WHERE query_id NOT IN (SELECT query_id FROM contested);

CREATE OR REPLACE TEMP VIEW contested_texts AS
SELECT
    c.* REPLACE (
        said(c.epsilon) AS epsilon, said(c.rho) AS rho, said(c.delta) AS delta,
        said(c.noise_scale) AS noise_scale, said(c.sensitivity) AS sensitivity,
        said(c.clip_norm) AS clip_norm, said(c.sampling_rate) AS sampling_rate, said(c."count") AS "count"),
    NULL::VARCHAR AS defect,
    false AS id_blank,
    c.mechanism = 'post_processing' AND coalesce(len(c.parents), 0) = 0 AS parents_blank
FROM repeated_contents AS c
WHERE c.query_id IN (SELECT query_id FROM contested);

CREATE OR REPLACE TEMP TABLE contested_rows AS SELECT * FROM judge('contested_texts');

-- Two texts of one number are one content.
CREATE OR REPLACE TEMP TABLE versions AS
SELECT
    query_id, instant, NULL::VARCHAR AS ts_problem, pool, status, mechanism, sampling, partition_scheme, partition,
    min(epsilon) AS epsilon, min(rho) AS rho, min(delta) AS delta, min(noise_scale) AS noise_scale,
    min(sensitivity) AS sensitivity, min(clip_norm) AS clip_norm, min(sampling_rate) AS sampling_rate,
    count_value("count")::VARCHAR AS "count",
    analyst, purpose, query_text, parents, asker, min(source) AS source, min(source_row) AS source_row,
    CASE WHEN count(*) OVER (PARTITION BY query_id) > 1 THEN query_id END AS conflict,
    sum(copies)::BIGINT AS copies
FROM contested_rows
WHERE problem IS NULL
GROUP BY
    query_id, instant, pool, status, mechanism, sampling, partition_scheme, partition,
    canonical(epsilon), canonical(rho), canonical(delta), canonical(noise_scale), canonical(sensitivity),
    canonical(clip_norm), canonical(sampling_rate), count_value("count"),
    analyst, purpose, query_text, parents, asker;

-- Refused rows whose id no accepted row has.
CREATE OR REPLACE TEMP TABLE contested_refused AS
SELECT r.query_id, r.pool, r.source, r.source_row, r::VARCHAR AS raw, r.problem
FROM contested_rows AS r
WHERE r.problem IS NOT NULL AND r.query_id NOT IN (SELECT query_id FROM versions);

CREATE OR REPLACE TEMP VIEW repeats AS
SELECT pool, sum(copies - 1)::BIGINT AS copies
FROM (SELECT pool, copies FROM settled_rows UNION ALL SELECT pool, copies FROM versions)
GROUP BY pool
HAVING sum(copies - 1) > 0;
