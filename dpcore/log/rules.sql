-- The rules for one row of a log, for import and for reading alike. They look at text, so that nothing is lost to a
-- cast before it is checked, and say in one plain phrase why a row is refused.
-- Variable: zone (the zone of times that name none, or NULL). Tables: known_pools(name), known_mechanisms(name, reads).

-- Blank is nothing.
CREATE OR REPLACE TEMP MACRO said(value) AS nullif(trim(value::VARCHAR, E' \t\r\n'), '');

-- Numbers -----------------------------------------------------------------------------------------------------------

CREATE OR REPLACE TEMP MACRO is_number(value) AS
    regexp_full_match(value, '\+?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,6})?');

-- The digits without point and exponent; how many stand before the point; the power of ten written after them.
CREATE OR REPLACE TEMP MACRO digits_of(value) AS replace(regexp_extract(value, '^\+?([0-9.]+)', 1), '.', '');
CREATE OR REPLACE TEMP MACRO whole_digits(value) AS length(regexp_extract(value, '^\+?([0-9]*)', 1));
CREATE OR REPLACE TEMP MACRO exponent_of(value) AS
    coalesce(try_cast(ltrim(nullif(regexp_extract(value, '[eE]([+-]?[0-9]+)$', 1), ''), '+') AS INTEGER), 0);
CREATE OR REPLACE TEMP MACRO is_zero(value) AS ltrim(digits_of(value), '0') = '';

-- The power of ten of the first digit that is not 0: exact where a comparison of floats is not.
CREATE OR REPLACE TEMP MACRO magnitude(value) AS
    whole_digits(value) + exponent_of(value) - 1
    - (length(digits_of(value)) - length(ltrim(digits_of(value), '0')));

-- Two texts of one number have the same canonical text.
CREATE OR REPLACE TEMP MACRO canonical(value) AS CASE
    WHEN value IS NULL OR NOT is_number(value) THEN value
    WHEN is_zero(value) THEN '0'
    ELSE trim(digits_of(value), '0') || 'e' || magnitude(value)
END;

-- Without the zeros that the column's type puts behind the point.
CREATE OR REPLACE TEMP MACRO shortened(value) AS
    CASE WHEN regexp_full_match(value, '[0-9]+\.[0-9]+') THEN rtrim(rtrim(value, '0'), '.') ELSE value END;

-- The number in units of 10^-places, further digits rounded up.
CREATE OR REPLACE TEMP MACRO shift_of(value, places) AS
    places + exponent_of(value) - (length(digits_of(value)) - whole_digits(value));
CREATE OR REPLACE TEMP MACRO units_of(value, places) AS
    CASE
        WHEN shift_of(value, places) >= 0
            THEN try_cast(digits_of(value) || repeat('0', least(shift_of(value, places), 60)) AS HUGEINT)
        WHEN -shift_of(value, places) >= length(digits_of(value)) THEN 0
        ELSE try_cast(left(digits_of(value), length(digits_of(value)) + shift_of(value, places)) AS HUGEINT)
    END
    + CASE
        WHEN shift_of(value, places) >= 0 THEN 0
        WHEN ltrim(right(digits_of(value), least(-shift_of(value, places), length(digits_of(value)))), '0') = '' THEN 0
        ELSE 1
    END;
CREATE OR REPLACE TEMP MACRO decimal_text(units, places) AS
    left(lpad(units::VARCHAR, greatest(places + 1, length(units::VARCHAR))::INTEGER, '0'), greatest(1, length(units::VARCHAR) - places))
    || '.' || right(lpad(units::VARCHAR, greatest(places + 1, length(units::VARCHAR))::INTEGER, '0'), places);
CREATE OR REPLACE TEMP MACRO epsilon_value(value) AS try_cast(decimal_text(units_of(value, 18), 18) AS DECIMAL(38, 18));
CREATE OR REPLACE TEMP MACRO delta_value(value) AS try_cast(decimal_text(units_of(value, 36), 36) AS DECIMAL(38, 36));

CREATE OR REPLACE TEMP MACRO no_number(value) AS CASE
    WHEN is_number(value) THEN NULL
    WHEN regexp_full_match(lower(ltrim(value, '+-')), 'nan|inf|infinity') THEN ' is not a finite number'
    WHEN value[1] = '-' AND is_number(value[2:]) THEN ' is negative'
    WHEN regexp_full_match(value, '[0-9.,]+') AND contains(value, ',')
        THEN ' has a comma in it; say which character is the decimal mark (--decimal ,)'
    ELSE ' is not a plain decimal number'
END;

-- A column that the mechanism does not read may say 0 for "nothing"; any other bad number is refused there too.
CREATE OR REPLACE TEMP MACRO epsilon_problem(name, value, reads) AS name || CASE
    WHEN value IS NULL THEN NULL
    WHEN no_number(value) IS NOT NULL THEN no_number(value)
    WHEN is_zero(value) AND NOT list_contains(reads, name) THEN NULL
    WHEN is_zero(value) OR magnitude(value) < -15 THEN ' is below the smallest accepted value, 1e-15'
    WHEN magnitude(value) >= 20 THEN ' is above the largest accepted value, 1e20'
END;
CREATE OR REPLACE TEMP MACRO delta_problem(name, value) AS name || CASE
    WHEN value IS NULL THEN NULL
    WHEN no_number(value) IS NOT NULL THEN no_number(value)
    WHEN is_zero(value) THEN NULL
    WHEN magnitude(value) < -36 THEN ' is below the smallest accepted value, 1e-36'
    WHEN magnitude(value) >= 0 OR regexp_matches(digits_of(value)[whole_digits(value) + exponent_of(value) + 1:], '^9{36}.*[1-9]')
        THEN ' is not below 1'
END;
CREATE OR REPLACE TEMP MACRO scale_problem(name, value, reads) AS name || CASE
    WHEN value IS NULL THEN NULL
    WHEN no_number(value) IS NOT NULL THEN no_number(value)
    WHEN is_zero(value) AND NOT list_contains(reads, name) THEN NULL
    WHEN coalesce(try_cast(ltrim(value, '+') AS DOUBLE) BETWEEN 1e-150 AND 1e150, false) THEN NULL
    ELSE ' is not a positive number between 1e-150 and 1e150'
END;
CREATE OR REPLACE TEMP MACRO rate_problem(name, value, reads) AS coalesce(
    scale_problem(name, value, reads),
    CASE WHEN value IS NOT NULL AND try_cast(ltrim(value, '+') AS DOUBLE) > 1 THEN name || ' is above 1' END
);
CREATE OR REPLACE TEMP MACRO count_problem(value) AS CASE
    WHEN value IS NULL THEN NULL
    WHEN NOT regexp_full_match(value, '[0-9]+(\.0*)?') THEN 'count is not a whole number of at least 1'
    WHEN is_zero(value) THEN 'count is not a whole number of at least 1'
    WHEN magnitude(value) >= 18 THEN 'count is not below 1e18'
END;
CREATE OR REPLACE TEMP MACRO count_value(value) AS
    coalesce(try_cast(regexp_extract(value, '^[0-9]+') AS BIGINT), 1);

-- Times -------------------------------------------------------------------------------------------------------------

CREATE OR REPLACE TEMP MACRO has_zone(value) AS regexp_full_match(
    value, '[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)? ?([Zz]|UTC|[+-][0-9]{2}(:?[0-9]{2})?)');
CREATE OR REPLACE TEMP MACRO has_no_zone(value) AS regexp_full_match(
    value, '[0-9]{4}-[0-9]{2}-[0-9]{2}([Tt ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)?)?');
CREATE OR REPLACE TEMP MACRO instant_of(value) AS CASE
    WHEN has_zone(value) THEN try_cast(
        regexp_replace(
            regexp_replace(regexp_replace(value, '([0-9])[Tt]([0-9])', '\1 \2'), ' ?([Zz]|UTC)$', '+00'),
            ' ?([+-][0-9]{2}):?([0-9]{2})$', '\1:\2')
        AS TIMESTAMPTZ)
    WHEN has_no_zone(value) AND length(value) > 10 AND getvariable('zone') IS NOT NULL
        THEN timezone(getvariable('zone')::VARCHAR, try_cast(regexp_replace(value, '[Tt]', ' ') AS TIMESTAMP))
END;
CREATE OR REPLACE TEMP MACRO instant_problem(instant) AS CASE
    WHEN instant IS NULL THEN 'ts is blank'
    WHEN NOT isfinite(instant) OR instant < TIMESTAMPTZ '1900-01-01 00:00:00+00'
        OR instant >= TIMESTAMPTZ '3000-01-01 00:00:00+00' THEN 'ts lies outside the years 1900 to 2999'
END;
CREATE OR REPLACE TEMP MACRO time_problem(value, instant) AS CASE
    WHEN value IS NULL THEN 'ts is blank'
    WHEN instant IS NOT NULL THEN instant_problem(instant)
    WHEN has_no_zone(value) AND length(value) > 10 AND getvariable('zone') IS NULL THEN 'ts has no time zone'
    ELSE 'ts is not a date and time with a zone, such as 2026-11-30T10:00:00Z'
END;

-- Lists -------------------------------------------------------------------------------------------------------------

-- Names in a text: a JSON list, or names between | or ; signs.
CREATE OR REPLACE TEMP MACRO names_in(value) AS list_sort(list_distinct(list_filter(
    list_transform(
        CASE
            WHEN value IS NULL THEN []::VARCHAR[]
            WHEN value[1] = '[' AND json_valid(value) THEN from_json(value, '["VARCHAR"]')
            ELSE string_split_regex(trim(value, '[]'), '[|;]')
        END,
        lambda name: trim(name, E' \t\r\n"''')),
    lambda name: name <> '')));

-- Rows --------------------------------------------------------------------------------------------------------------

-- What the noise mechanisms need at least.
CREATE OR REPLACE TEMP MACRO no_laplace(epsilon, noise_scale, sensitivity) AS CASE
    WHEN epsilon IS NULL AND (noise_scale IS NULL OR sensitivity IS NULL)
        THEN 'neither epsilon nor noise_scale with sensitivity is stated'
END;
CREATE OR REPLACE TEMP MACRO no_gaussian(rho, noise_scale, reach) AS CASE
    WHEN rho IS NULL AND (noise_scale IS NULL OR reach IS NULL)
        THEN 'neither rho nor noise_scale with sensitivity or clip_norm is stated'
END;

-- Every row of a relation, with the problem for which it is refused (NULL: accepted). The relation has the log's
-- columns as trimmed text, blanks as NULL, and: defect (what the reader of the file found), id_blank, ts_problem and
-- parents_blank.
CREATE OR REPLACE TEMP MACRO judge(relation) AS TABLE
SELECT
    r.*,
    CASE
        WHEN r.defect IS NOT NULL THEN r.defect
        WHEN r.id_blank THEN 'query_id is blank'
        WHEN r.pool IS NULL THEN 'pool is blank'
        WHEN p.name IS NULL THEN 'unknown pool'
        WHEN r.ts_problem IS NOT NULL THEN r.ts_problem
        WHEN r.status IS NULL THEN 'status is blank'
        WHEN r.status NOT IN ('released', 'denied', 'failed', 'failed_before_release') THEN 'unknown status'
        WHEN r.mechanism IS NULL THEN 'mechanism is blank'
        WHEN m.name IS NULL THEN 'unknown mechanism'
        ELSE coalesce(
            epsilon_problem('epsilon', r.epsilon, m.reads),
            epsilon_problem('rho', r.rho, m.reads),
            delta_problem('delta', r.delta),
            scale_problem('noise_scale', r.noise_scale, m.reads),
            scale_problem('sensitivity', r.sensitivity, m.reads),
            scale_problem('clip_norm', r.clip_norm, m.reads),
            rate_problem('sampling_rate', r.sampling_rate, m.reads),
            count_problem(r."count"),
            CASE
                WHEN r.partition_scheme IS NULL AND r.partition IS NOT NULL THEN 'partition without partition_scheme'
                WHEN r.partition_scheme IS NOT NULL AND r.partition IS NULL THEN 'partition_scheme without partition'
                WHEN regexp_matches('|' || r.partition || '|', '\|\s*\|') THEN 'partition names an empty part'
            END,
            CASE r.mechanism
                WHEN 'pure' THEN CASE WHEN r.epsilon IS NULL THEN 'epsilon is blank' END
                WHEN 'randomised_response' THEN CASE WHEN r.epsilon IS NULL THEN 'epsilon is blank' END
                WHEN 'exponential' THEN CASE WHEN r.epsilon IS NULL THEN 'epsilon is blank' END
                WHEN 'approximate' THEN CASE
                    WHEN r.epsilon IS NULL THEN 'epsilon is blank'
                    WHEN r.delta IS NULL THEN 'delta is blank, which is not 0 for approximate'
                END
                WHEN 'zcdp' THEN CASE WHEN r.rho IS NULL THEN 'rho is blank' END
                WHEN 'laplace' THEN no_laplace(r.epsilon, r.noise_scale, r.sensitivity)
                WHEN 'geometric' THEN no_laplace(r.epsilon, r.noise_scale, r.sensitivity)
                WHEN 'gaussian' THEN no_gaussian(r.rho, r.noise_scale, coalesce(r.sensitivity, r.clip_norm))
                WHEN 'discrete_gaussian' THEN no_gaussian(r.rho, r.noise_scale, coalesce(r.sensitivity, r.clip_norm))
                WHEN 'subsampled_gaussian' THEN CASE
                    WHEN r.noise_scale IS NULL OR coalesce(r.sensitivity, r.clip_norm) IS NULL
                        THEN 'noise_scale with sensitivity or clip_norm is missing'
                    WHEN r.sampling_rate IS NULL THEN 'sampling_rate is blank'
                END
                WHEN 'post_processing' THEN CASE WHEN r.parents_blank THEN 'parents are blank' END
            END
        )
    END AS problem
FROM query_table(relation) AS r
LEFT JOIN known_pools AS p ON p.name = r.pool
LEFT JOIN known_mechanisms AS m ON m.name = r.mechanism;
