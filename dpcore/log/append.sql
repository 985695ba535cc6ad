-- Write what was collected, in one transaction. Variable: now.

INSERT INTO imports
SELECT
    f.file, f.digest, f.format,
    (SELECT count(*) FROM accepted AS a WHERE a.source = f.digest)
        + (SELECT count(*) FROM refused AS r WHERE r.source = f.digest),
    (SELECT count(*) FROM fresh AS n WHERE n.source = f.digest),
    (SELECT count(*) FROM refused AS r WHERE r.source = f.digest),
    (SELECT count(*) FROM accepted AS a WHERE a.source = f.digest)
        - (SELECT count(*) FROM fresh AS n WHERE n.source = f.digest),
    CASE
        WHEN f.position = 0
            THEN (SELECT map(list(d.pool ORDER BY d.pool), list(d.copies ORDER BY d.pool)) FROM duplicates AS d)
    END,
    getvariable('now')::TIMESTAMPTZ
FROM staged_files AS f
ORDER BY f.position;

INSERT INTO query_log BY NAME SELECT * FROM fresh ORDER BY ts, query_id;

-- The same bad row in a grown export of the same source is kept once.
INSERT INTO rejected_rows
SELECT source, min(source_row), query_id, pool, raw, min(reason), NULL
FROM refused AS j
WHERE NOT EXISTS (
    SELECT 1 FROM rejected_rows AS r
    WHERE r.raw = j.raw AND (r.query_id = j.query_id OR (r.source = j.source AND r.source_row = j.source_row)))
GROUP BY source, query_id, pool, raw, CASE WHEN query_id IS NULL THEN source_row END;

UPDATE rejected_rows
SET resolved_by = a.source || ':' || a.source_row
FROM (
    SELECT query_id, min(source) AS source, min(source_row) AS source_row
    FROM query_log
    WHERE query_id IN (SELECT query_id FROM rejected_rows WHERE resolved_by IS NULL)
    GROUP BY query_id
) AS a
WHERE rejected_rows.resolved_by IS NULL AND rejected_rows.query_id = a.query_id;
