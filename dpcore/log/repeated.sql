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

CREATE OR REPLACE TEMP VIEW repeated_texts AS
SELECT
    l.* REPLACE (
        said(l.epsilon) AS epsilon, said(l.rho) AS rho, said(l.delta) AS delta,
        said(l.noise_scale) AS noise_scale, said(l.sensitivity) AS sensitivity,
        said(l.clip_norm) AS clip_norm, said(l.sampling_rate) AS sampling_rate, said(l."count") AS "count"),
    NULL::VARCHAR AS defect,
    false AS id_blank,
    l.mechanism = 'post_processing' AND coalesce(len(l.parents), 0) = 0 AS parents_blank
FROM log_rows AS l
WHERE l.query_id IN (SELECT query_id FROM repeated);

CREATE OR REPLACE TEMP TABLE repeated_rows AS SELECT * FROM judge('repeated_texts');

CREATE OR REPLACE TEMP TABLE versions AS
SELECT
    query_id, instant, NULL::VARCHAR AS ts_problem, pool, status, mechanism, sampling, partition_scheme, partition,
    min(epsilon) AS epsilon, min(rho) AS rho, min(delta) AS delta, min(noise_scale) AS noise_scale,
    min(sensitivity) AS sensitivity, min(clip_norm) AS clip_norm, min(sampling_rate) AS sampling_rate,
    count_value("count")::VARCHAR AS "count",
    analyst, purpose, query_text, parents, asker, min(source) AS source, min(source_row) AS source_row,
    CASE WHEN count(*) OVER (PARTITION BY query_id) > 1 THEN query_id END AS conflict,
    count(*) AS copies
FROM repeated_rows
WHERE problem IS NULL
GROUP BY
    query_id, instant, pool, status, mechanism, sampling, partition_scheme, partition,
    canonical(epsilon), canonical(rho), canonical(delta), canonical(noise_scale), canonical(sensitivity),
    canonical(clip_norm), canonical(sampling_rate), count_value("count"),
    analyst, purpose, query_text, parents, asker;

-- Refused rows whose id no accepted row has.
CREATE OR REPLACE TEMP TABLE repeated_refused AS
SELECT r.query_id, r.pool, r.source, r.source_row, r::VARCHAR AS raw, r.problem
FROM repeated_rows AS r
WHERE r.problem IS NOT NULL AND NOT EXISTS (SELECT 1 FROM versions AS v WHERE v.query_id = r.query_id);
