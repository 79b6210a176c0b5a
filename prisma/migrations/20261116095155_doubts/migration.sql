-- AlterTable
ALTER TABLE "idempotency_record" ADD COLUMN     "doubted_at" TIMESTAMPTZ(6),
ADD COLUMN     "known_at" TIMESTAMPTZ(6);

-- ---------------------------------------------------------------- by hand

-- Set by the database like the event of the same transition, and to the same clock: no writer can forget it.
CREATE FUNCTION idempotency_record_doubts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.status = 'unknown' THEN
    NEW.doubted_at := clock_timestamp();
  ELSE
    NEW.known_at := clock_timestamp();
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER idempotency_record_doubts BEFORE UPDATE ON idempotency_record
  FOR EACH ROW WHEN (OLD.status <> NEW.status AND 'unknown' IN (OLD.status, NEW.status))
  EXECUTE FUNCTION idempotency_record_doubts();

-- What the events tell of what happened before.
UPDATE idempotency_record r SET doubted_at = e.doubted_at, known_at = e.known_at
FROM (
  SELECT record_id, max(at) FILTER (WHERE to_status = 'unknown') AS doubted_at,
    max(at) FILTER (WHERE from_status = 'unknown') AS known_at
  FROM idempotency_event
  WHERE from_status <> to_status AND 'unknown' IN (from_status, to_status) GROUP BY record_id) AS e
WHERE e.record_id = r.id;
