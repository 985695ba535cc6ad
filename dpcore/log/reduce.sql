-- From a million rows to a few thousand groups: rows that charge the same loss at the same place of the same pool.
-- Reads the view log_rows. Tables: windows(pool, start, stop), unverified(query_id).
-- Variables: as_of, explicit (rows after as_of are left out of windows), only_pool (NULL: every pool).

-- Rows whose id occurs once.
CREATE OR REPLACE TEMP VIEW single_rows AS
SELECT l.*, NULL::VARCHAR AS conflict, NULL::DATE AS day
FROM log_rows AS l
WHERE (getvariable('only_pool') IS NULL OR l.pool = getvariable('only_pool'))
    AND NOT EXISTS (SELECT 1 FROM repeated AS r WHERE r.query_id = l.query_id);

-- Rows whose id occurs more than once: each content once, marked with its id if the contents differ.
CREATE OR REPLACE TEMP VIEW version_rows AS
SELECT v.* EXCLUDE (copies), NULL::DATE AS day
FROM versions AS v
WHERE getvariable('only_pool') IS NULL OR v.pool = getvariable('only_pool');

-- Rows with what is asked about each of them, and one number that stands for all columns of a group.
CREATE OR REPLACE TEMP MACRO keyed(relation) AS TABLE
SELECT *, hash(
    pool, status, mechanism, epsilon, rho, delta, noise_scale, sensitivity, clip_norm, sampling_rate, sampling,
    "count", partition_scheme, partition, ts_problem, id_blank, parents_blank, in_window, future, unverified, conflict,
    asker, day) AS gid
FROM (
    SELECT
        r.*,
        r.query_id IS NULL AS id_blank,
        r.mechanism = 'post_processing' AND coalesce(len(r.parents), 0) = 0 AS parents_blank,
        (w.start IS NULL OR (r.instant >= w.start AND r.instant < w.stop))
            AND NOT (getvariable('explicit')::BOOLEAN AND r.instant > getvariable('as_of')::TIMESTAMPTZ) AS in_window,
        r.instant > getvariable('as_of')::TIMESTAMPTZ AS future,
        r.mechanism = 'post_processing'
            AND EXISTS (SELECT 1 FROM unverified AS u WHERE u.query_id = r.query_id) AS unverified
    FROM query_table(relation) AS r
    LEFT JOIN windows AS w ON w.pool = r.pool
);

CREATE OR REPLACE TEMP MACRO reduced(relation) AS TABLE
SELECT
    gid, pool, status, mechanism,
    epsilon::VARCHAR AS epsilon, rho::VARCHAR AS rho, delta::VARCHAR AS delta,
    noise_scale::VARCHAR AS noise_scale, sensitivity::VARCHAR AS sensitivity, clip_norm::VARCHAR AS clip_norm,
    sampling_rate::VARCHAR AS sampling_rate, sampling, "count"::VARCHAR AS "count",
    partition_scheme, partition, ts_problem, id_blank, parents_blank, in_window, future, unverified, conflict,
    asker, day, NULL::VARCHAR AS defect,
    count(*) AS "rows", epoch_us(min(instant)) AS first_us, epoch_us(max(instant)) AS last_us
FROM keyed(relation)
GROUP BY
    gid, pool, status, mechanism, epsilon, rho, delta, noise_scale, sensitivity, clip_norm, sampling_rate, sampling,
    "count", partition_scheme, partition, ts_problem, id_blank, parents_blank, in_window, future, unverified, conflict,
    asker, day;
