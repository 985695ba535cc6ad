-- What an import collects before it writes. The readers of files hand over their rows batch by batch as `staged`.

CREATE TEMP TABLE staged_files (position INTEGER, file VARCHAR, digest VARCHAR, format VARCHAR);

CREATE TEMP TABLE accepted AS SELECT * FROM query_log WHERE false;

CREATE TEMP TABLE refused (
    source VARCHAR, source_row BIGINT, query_id VARCHAR, pool VARCHAR, raw VARCHAR, reason VARCHAR);

CREATE TEMP MACRO with_point(value) AS CASE
    WHEN NOT getvariable('decimal_comma')::BOOLEAN THEN value
    -- Where the comma is the decimal mark, a point can only be a thousands sign, which is not read.
    WHEN contains(value, '.') THEN replace(value, '.', '''')
    ELSE replace(value, ',', '.')
END;
