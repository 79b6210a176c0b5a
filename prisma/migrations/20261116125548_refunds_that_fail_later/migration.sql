-- AlterTable
ALTER TABLE "late_truth" ADD COLUMN     "generation" INTEGER NOT NULL DEFAULT 1,
ADD COLUMN     "refund_id" UUID,
ADD COLUMN     "refund_operation_id" UUID,
ALTER COLUMN "intent_id" DROP NOT NULL;

-- AlterTable
ALTER TABLE "refund" ADD COLUMN     "failed_at" TIMESTAMPTZ(6);

-- CreateIndex
CREATE UNIQUE INDEX "late_truth_refund_id_key" ON "late_truth"("refund_id");

-- CreateIndex
CREATE UNIQUE INDEX "late_truth_refund_operation_id_key" ON "late_truth"("refund_operation_id");

-- AddForeignKey
ALTER TABLE "late_truth" ADD CONSTRAINT "late_truth_refund_id_fkey" FOREIGN KEY ("refund_id") REFERENCES "refund"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE late_truth ADD CONSTRAINT late_truth_about CHECK ((intent_id IS NULL) = (refund_id IS NOT NULL));

-- Not looked at row by row here, where everybody who refunds would wait: the next file does.
ALTER TABLE refund
  DROP CONSTRAINT refund_status,
  DROP CONSTRAINT refund_settled,
  ADD CONSTRAINT refund_status CHECK (status IN ('pending', 'succeeded', 'released', 'failed')) NOT VALID,
  ADD CONSTRAINT refund_settled CHECK ((status IN ('succeeded', 'failed')) = (settled_at IS NOT NULL)) NOT VALID,
  ADD CONSTRAINT refund_failed CHECK ((status = 'failed') = (failed_at IS NOT NULL)) NOT VALID;

-- What was paid back may come back. Nothing else unsays a refund, and what it was about never changes.
CREATE FUNCTION refund_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (OLD.status = 'succeeded' AND NEW.status NOT IN ('succeeded', 'failed')) OR (OLD.status = 'failed' AND NEW.status <> 'failed')
  THEN
    RAISE EXCEPTION 'refund % is %: a settled refund stays settled', OLD.id, OLD.status;
  END IF;
  IF NEW.status = 'failed' AND OLD.status NOT IN ('succeeded', 'failed') THEN
    RAISE EXCEPTION 'refund % is %: only what was paid back can come back', OLD.id, OLD.status;
  END IF;
  IF (NEW.tenant_id, NEW.payment_id, NEW.operation_id, NEW.amount_minor)
    IS DISTINCT FROM (OLD.tenant_id, OLD.payment_id, OLD.operation_id, OLD.amount_minor)
  THEN
    RAISE EXCEPTION 'refund %: what is paid back, and of what, never changes', OLD.id;
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER refund_guard BEFORE UPDATE ON refund FOR EACH ROW EXECUTE FUNCTION refund_guard();
