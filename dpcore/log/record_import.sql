-- One row per file about what this import did.
INSERT INTO imports
SELECT
    f.file, f.digest, f.format,
    (SELECT count(*) FROM judged AS j WHERE j.source = f.digest),
    (SELECT count(*) FROM fresh AS n WHERE n.source = f.digest),
    (SELECT count(*) FROM judged AS j WHERE j.source = f.digest AND j.problem IS NOT NULL),
    (SELECT coalesce(sum(d.copies), 0) FROM duplicates AS d WHERE d.source = f.digest),
    (SELECT map(list(d.pool ORDER BY d.pool), list(d.copies ORDER BY d.pool)) FROM duplicates AS d WHERE d.source = f.digest),
    $now
FROM staged_files AS f;
