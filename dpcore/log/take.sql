-- Judge one batch of the view `staged` and collect its rows as accepted or refused. Variable: digest.

CREATE OR REPLACE TEMP VIEW staged_texts AS
SELECT *, time_problem(ts, instant) AS ts_problem
FROM (
    SELECT
        source_row, raw, defect,
        said(query_id) AS query_id, said(ts) AS ts, instant_of(said(ts)) AS instant, said(pool) AS pool,
        nullif(analyst, '') AS analyst, nullif(purpose, '') AS purpose, nullif(query_text, '') AS query_text,
        said(status) AS status, said(mechanism) AS mechanism,
        with_point(said(epsilon)) AS epsilon, with_point(said(rho)) AS rho, with_point(said(delta)) AS delta,
        with_point(said(noise_scale)) AS noise_scale, with_point(said(sensitivity)) AS sensitivity,
        with_point(said(clip_norm)) AS clip_norm, with_point(said(sampling_rate)) AS sampling_rate,
        said(sampling) AS sampling, said("count") AS "count",
        said(partition_scheme) AS partition_scheme, said(partition) AS partition,
        CASE WHEN said(mechanism) = 'post_processing' THEN names_in(said(parents)) END AS parents,
        said(query_id) IS NULL AS id_blank,
        CASE WHEN said(mechanism) = 'post_processing' THEN len(names_in(said(parents))) = 0 ELSE false END AS parents_blank
    FROM staged
);

CREATE OR REPLACE TEMP TABLE judged AS SELECT * FROM judge('staged_texts');

INSERT INTO accepted BY NAME
SELECT
    query_id, instant AS ts, pool, analyst, purpose, query_text, status, mechanism,
    epsilon_value(epsilon) AS epsilon, epsilon_value(rho) AS rho, delta_value(delta) AS delta,
    try_cast(ltrim(noise_scale, '+') AS DOUBLE) AS noise_scale,
    try_cast(ltrim(sensitivity, '+') AS DOUBLE) AS sensitivity,
    try_cast(ltrim(clip_norm, '+') AS DOUBLE) AS clip_norm,
    try_cast(ltrim(sampling_rate, '+') AS DOUBLE) AS sampling_rate,
    sampling, count_value("count") AS "count", partition_scheme, partition, parents,
    getvariable('digest') AS source, source_row
FROM judged
WHERE problem IS NULL;

INSERT INTO refused
SELECT getvariable('digest'), source_row, query_id, pool, raw, problem FROM judged WHERE problem IS NOT NULL;
