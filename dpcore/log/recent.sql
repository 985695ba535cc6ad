-- The newest released rows of each pool: more than are shown, since some of them may be refused.
-- The cut comes first: ordering a million rows to keep a few hundred would take longer than everything else.
CREATE OR REPLACE TEMP TABLE cuts AS
SELECT pool, list_min(max(instant, 400)) AS cut
FROM (SELECT pool, status, instant FROM single_rows UNION ALL SELECT pool, status, instant FROM version_rows)
WHERE status = 'released'
    AND NOT (getvariable('explicit')::BOOLEAN AND instant > getvariable('as_of')::TIMESTAMPTZ)
GROUP BY pool;

CREATE OR REPLACE TEMP VIEW late_single_rows AS
SELECT r.* FROM single_rows AS r JOIN cuts AS c ON c.pool = r.pool AND r.instant >= c.cut WHERE r.status = 'released';

CREATE OR REPLACE TEMP VIEW late_version_rows AS
SELECT r.* FROM version_rows AS r JOIN cuts AS c ON c.pool = r.pool AND r.instant >= c.cut WHERE r.status = 'released';

CREATE OR REPLACE TEMP TABLE newest AS
SELECT
    0::UBIGINT AS gid, pool, status, mechanism,
    said(epsilon) AS epsilon, said(rho) AS rho, said(delta) AS delta, said(noise_scale) AS noise_scale,
    said(sensitivity) AS sensitivity, said(clip_norm) AS clip_norm, said(sampling_rate) AS sampling_rate,
    sampling, said("count") AS "count", partition_scheme, partition, ts_problem, id_blank, parents_blank, in_window,
    future, unverified, conflict, asker, day, NULL::VARCHAR AS defect,
    1 AS "rows", epoch_us(instant) AS first_us, epoch_us(instant) AS last_us,
    row_number() OVER (PARTITION BY pool ORDER BY instant DESC, query_id DESC, epsilon::VARCHAR, noise_scale) AS place
FROM (SELECT * FROM asked('late_single_rows') UNION ALL BY NAME SELECT * FROM asked('late_version_rows'))
WHERE NOT (future AND getvariable('explicit')::BOOLEAN)
QUALIFY place <= 400;

CREATE OR REPLACE TEMP TABLE judged_newest AS SELECT * FROM judge('newest');
