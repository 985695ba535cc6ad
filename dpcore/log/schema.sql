-- The log of this product. Everything is append-only except pools, datasets and rejected_rows.resolved_by.

CREATE TABLE dpcore_format (version INTEGER NOT NULL);
INSERT INTO dpcore_format VALUES (1);

-- query_id carries no UNIQUE: one id with two contents is a conflict, and both are kept.
CREATE TABLE query_log (
    query_id VARCHAR NOT NULL,
    ts TIMESTAMPTZ NOT NULL,
    pool VARCHAR NOT NULL,
    analyst VARCHAR,
    purpose VARCHAR,
    query_text VARCHAR,
    status VARCHAR NOT NULL,
    mechanism VARCHAR NOT NULL,
    epsilon DECIMAL(38, 18),
    rho DECIMAL(38, 18),
    delta DECIMAL(38, 36),
    noise_scale DOUBLE,
    sensitivity DOUBLE,
    clip_norm DOUBLE,
    sampling_rate DOUBLE,
    sampling VARCHAR,
    count BIGINT NOT NULL DEFAULT 1,
    partition_scheme VARCHAR,
    partition VARCHAR,
    parents VARCHAR[],
    source VARCHAR,
    source_row BIGINT
);

CREATE TABLE rejected_rows (
    source VARCHAR,
    source_row BIGINT,
    query_id VARCHAR,
    pool VARCHAR,
    raw VARCHAR,
    reason VARCHAR NOT NULL,
    resolved_by VARCHAR
);

-- Numbers are exact decimal text; typical, alerts and extra are JSON objects.
CREATE TABLE pools (
    name VARCHAR PRIMARY KEY,
    dataset VARCHAR,
    owner VARCHAR,
    epsilon VARCHAR,
    rho VARCHAR,
    delta VARCHAR,
    privacy_unit VARCHAR,
    adjacency VARCHAR,
    parameters VARCHAR,
    delta_reserve VARCHAR,
    "order" VARCHAR,
    official VARCHAR,
    typical VARCHAR,
    warn_at VARCHAR,
    critical_at VARCHAR,
    "window" VARCHAR,
    timezone VARCHAR,
    priority INTEGER,
    schemes VARCHAR[],
    closed BOOLEAN,
    group_size INTEGER,
    alerts VARCHAR,
    extra VARCHAR,
    closed_since TIMESTAMPTZ -- when closed was seen to turn true
);

CREATE TABLE datasets (
    name VARCHAR PRIMARY KEY,
    people BIGINT,
    epsilon VARCHAR,
    delta VARCHAR,
    disjoint VARCHAR, -- JSON list of lists of pool names
    collusion BOOLEAN
);

CREATE TABLE imports (
    file VARCHAR,
    digest VARCHAR,
    format VARCHAR,
    rows BIGINT,
    accepted BIGINT,
    rejected BIGINT,
    duplicate BIGINT,
    duplicates_by_pool MAP(VARCHAR, BIGINT),
    imported_at TIMESTAMPTZ
);
