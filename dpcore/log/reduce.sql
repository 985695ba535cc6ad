-- From a million rows to a few thousand groups: rows that charge the same loss at the same place of the same pool.
-- Reads the view log_rows. Tables: windows(pool, start, stop), unverified(query_id).
-- Variables: as_of, explicit (rows after as_of are left out of windows), only_pool (NULL: every pool).

-- Rows of which nothing is in doubt. IN builds on the short list; NOT EXISTS was planned to build on the million rows.
CREATE OR REPLACE TEMP VIEW single_rows AS
SELECT l.*, NULL::VARCHAR AS conflict, NULL::DATE AS day
FROM (
    SELECT * FROM log_rows WHERE (query_id IN (SELECT query_id FROM repeated)) IS NOT TRUE
    UNION ALL BY NAME
    SELECT * EXCLUDE (copies) FROM settled_rows
) AS l
WHERE getvariable('only_pool') IS NULL OR l.pool = getvariable('only_pool');

-- Rows of ids with several contents, each content once; `conflict` is the id.
CREATE OR REPLACE TEMP VIEW version_rows AS
SELECT v.* EXCLUDE (copies), NULL::DATE AS day
FROM versions AS v
WHERE getvariable('only_pool') IS NULL OR v.pool = getvariable('only_pool');

-- Rows with what is asked about each of them.
CREATE OR REPLACE TEMP MACRO asked(relation) AS TABLE
SELECT
    r.*,
    r.query_id IS NULL AS id_blank,
    r.mechanism = 'post_processing' AND coalesce(len(r.parents), 0) = 0 AS parents_blank,
    (w.start IS NULL OR (r.instant >= w.start AND r.instant < w.stop))
        AND NOT (getvariable('explicit')::BOOLEAN AND r.instant > getvariable('as_of')::TIMESTAMPTZ) AS in_window,
    r.instant > getvariable('as_of')::TIMESTAMPTZ AS future,
    r.mechanism = 'post_processing' AND (r.query_id IN (SELECT query_id FROM unverified)) IS TRUE AS unverified
FROM query_table(relation) AS r
LEFT JOIN windows AS w ON w.pool = r.pool;

-- One number for all columns of a group, by which its rows are found again.
CREATE OR REPLACE TEMP MACRO group_number(r) AS hash(
    r.pool, r.status, r.mechanism, r.epsilon, r.rho, r.delta, r.noise_scale, r.sensitivity, r.clip_norm,
    r.sampling_rate, r.sampling, r."count", r.partition_scheme, r.partition, r.ts_problem, r.id_blank,
    r.parents_blank, r.in_window, r.future, r.unverified, r.conflict, r.asker, r.day);

CREATE OR REPLACE TEMP MACRO keyed(relation) AS TABLE
SELECT group_number(r) AS gid, r.* FROM asked(relation) AS r;

-- Grouped by the columns' own types; what is left becomes text for the rules.
CREATE OR REPLACE TEMP MACRO reduced(relation) AS TABLE
SELECT
    group_number(r) AS gid, r.pool, r.status, r.mechanism,
    said(r.epsilon) AS epsilon, said(r.rho) AS rho, said(r.delta) AS delta, said(r.noise_scale) AS noise_scale,
    said(r.sensitivity) AS sensitivity, said(r.clip_norm) AS clip_norm, said(r.sampling_rate) AS sampling_rate,
    r.sampling, said(r."count") AS "count", r.partition_scheme, r.partition, r.ts_problem, r.id_blank,
    r.parents_blank, r.in_window, r.future, r.unverified, r.conflict, r.asker, r.day, NULL::VARCHAR AS defect,
    r."rows", r.first_us, r.last_us
FROM (
    SELECT
        pool, status, mechanism, epsilon, rho, delta, noise_scale, sensitivity, clip_norm, sampling_rate, sampling,
        "count", partition_scheme, partition, ts_problem, id_blank, parents_blank, in_window, future, unverified,
        conflict, asker, day,
        count(*) AS "rows", epoch_us(min(instant)) AS first_us, epoch_us(max(instant)) AS last_us
    FROM asked(relation)
    GROUP BY
        pool, status, mechanism, epsilon, rho, delta, noise_scale, sensitivity, clip_norm, sampling_rate, sampling,
        "count", partition_scheme, partition, ts_problem, id_blank, parents_blank, in_window, future, unverified,
        conflict, asker, day
) AS r;
