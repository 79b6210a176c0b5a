-- The identities that this database has had. A standby that was promoted and a backup that was restored have another one than
-- the database that wrote the rows, and commits after `seen_at` of the old one may be missing. Until what the provider lists
-- since then has been compared with our rows, nothing new is sent to the provider.
CREATE TABLE database_history (
  identity    text NOT NULL,
  seen_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
  opened_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  lost_since  timestamptz,
  compared_at timestamptz,
  CONSTRAINT database_history_pkey PRIMARY KEY (identity)
);

ALTER TABLE database_history
  ADD CONSTRAINT database_history_gap CHECK (compared_at IS NOT NULL OR lost_since IS NOT NULL);

-- PostgreSQL gives every cluster an identifier, every promotion and every recovery from an archive a new timeline, and every
-- table that is created, such as from a dump, a new number. The timeline is read from the position at which the next write
-- goes: pg_control has the old one until the next checkpoint. A standby has no such position. Where a platform does not allow
-- it to be read, the identity never changes.
CREATE FUNCTION database_identity() RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF pg_is_in_recovery() THEN
    RETURN NULL;
  END IF;
  RETURN (SELECT system_identifier FROM pg_control_system())
    || '/' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) || '/' || 'database_history'::regclass::oid;
EXCEPTION WHEN insufficient_privilege OR undefined_function OR feature_not_supported THEN
  RETURN 'unreadable';
END $$;

INSERT INTO database_history (identity, compared_at) VALUES (database_identity(), clock_timestamp());
