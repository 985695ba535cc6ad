-- What the sample log says about itself, and when its closed pools were closed.
-- Parameter: as_of.

UPDATE pools SET closed_since = CASE
    WHEN name LIKE 'us-census-2020-%' THEN TIMESTAMPTZ '2021-08-13 00:00:00+00'
    WHEN name = 'dp-sgd-run' THEN $as_of::TIMESTAMPTZ - INTERVAL 44 DAYS
    -- Closed before its last releases: the finding that it shows.
    WHEN name = 'finding-release-after-close' THEN $as_of::TIMESTAMPTZ - INTERVAL 30 DAYS
END
WHERE closed;
