-- What post-processing rows were computed from. Reads the view log_rows.

CREATE OR REPLACE TEMP TABLE derived AS
SELECT DISTINCT query_id, unnest(parents) AS parent
FROM log_rows
WHERE mechanism = 'post_processing' AND query_id IS NOT NULL;

CREATE OR REPLACE TEMP VIEW parent_texts AS
SELECT
    l.* REPLACE (
        said(l.epsilon) AS epsilon, said(l.rho) AS rho, said(l.delta) AS delta,
        said(l.noise_scale) AS noise_scale, said(l.sensitivity) AS sensitivity,
        said(l.clip_norm) AS clip_norm, said(l.sampling_rate) AS sampling_rate, said(l."count") AS "count"),
    NULL::VARCHAR AS defect,
    false AS id_blank,
    l.mechanism = 'post_processing' AND coalesce(len(l.parents), 0) = 0 AS parents_blank
FROM log_rows AS l
WHERE l.query_id IN (SELECT parent FROM derived);

-- A parent is fit if every accepted version of it was released with noise; of derived parents more is asked.
CREATE OR REPLACE TEMP TABLE parent_ids AS
SELECT
    query_id,
    bool_and(status = 'released' AND mechanism <> 'exact') AS fit,
    bool_or(mechanism = 'post_processing') AS derived
FROM judge('parent_texts')
WHERE problem IS NULL
GROUP BY query_id;

-- Rows with a parent that is missing, refused, not released or exact.
CREATE OR REPLACE TEMP TABLE unverified AS
SELECT DISTINCT d.query_id
FROM derived AS d
LEFT JOIN parent_ids AS p ON p.query_id = d.parent
WHERE p.fit IS NOT TRUE;
