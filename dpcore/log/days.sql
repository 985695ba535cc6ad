-- Rows with the local day they fall on. Tables: days(pool, day, start). Variables: not_before, not_after (or NULL).
CREATE OR REPLACE TEMP VIEW dated_single_rows AS
SELECT r.* EXCLUDE (day), d.day
FROM single_rows AS r
ASOF JOIN days AS d ON d.pool = r.pool AND r.instant >= d.start
WHERE r.instant >= getvariable('not_before')::TIMESTAMPTZ
    AND (getvariable('not_after') IS NULL OR r.instant <= getvariable('not_after')::TIMESTAMPTZ);

CREATE OR REPLACE TEMP VIEW dated_version_rows AS
SELECT r.* EXCLUDE (day), d.day
FROM version_rows AS r
ASOF JOIN days AS d ON d.pool = r.pool AND r.instant >= d.start
WHERE r.instant >= getvariable('not_before')::TIMESTAMPTZ
    AND (getvariable('not_after') IS NULL OR r.instant <= getvariable('not_after')::TIMESTAMPTZ);
