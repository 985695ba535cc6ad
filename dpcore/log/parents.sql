-- What post-processing rows were computed from. Reads the view log_rows.

CREATE OR REPLACE TEMP TABLE derived AS
SELECT DISTINCT query_id, unnest(parents) AS parent
FROM log_rows
WHERE mechanism = 'post_processing' AND query_id IS NOT NULL;

CREATE OR REPLACE TEMP VIEW parent_texts AS
SELECT
    l.* REPLACE (
        l.epsilon::VARCHAR AS epsilon, l.rho::VARCHAR AS rho, l.delta::VARCHAR AS delta,
        l.noise_scale::VARCHAR AS noise_scale, l.sensitivity::VARCHAR AS sensitivity,
        l.clip_norm::VARCHAR AS clip_norm, l.sampling_rate::VARCHAR AS sampling_rate, l."count"::VARCHAR AS "count"),
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
