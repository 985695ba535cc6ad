-- The first few ids of each group in flagged(gid).
SELECT gid, min(query_id, 20)
FROM (SELECT gid, query_id FROM keyed('single_rows') UNION ALL SELECT gid, query_id FROM keyed('version_rows'))
WHERE gid IN (SELECT gid FROM flagged) AND query_id IS NOT NULL
GROUP BY gid;
