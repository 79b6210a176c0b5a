-- AlterTable
ALTER TABLE "idempotency_record" ADD COLUMN     "field_digests" JSONB;

-- AlterTable
ALTER TABLE "late_truth" ADD COLUMN     "decision_reason" TEXT;

-- CreateTable
CREATE TABLE "key_misuse" (
    "record_id" UUID NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "fields" TEXT NOT NULL,
    "times" INTEGER NOT NULL DEFAULT 1,
    "first_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "key_misuse_pkey" PRIMARY KEY ("record_id","kind","fields")
);

-- CreateTable
CREATE TABLE "provider_call" (
    "id" BIGSERIAL NOT NULL,
    "operation_id" UUID NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "call" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(6) NOT NULL,
    "duration_ms" INTEGER NOT NULL,
    "outcome" TEXT NOT NULL,
    "code" TEXT,
    "request_id" TEXT,

    CONSTRAINT "provider_call_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "verdict_proposal" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "tenant_id" TEXT NOT NULL,
    "operation_id" UUID NOT NULL,
    "verdict" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "evidence" JSONB NOT NULL,
    "evidence_digest" TEXT NOT NULL,
    "proposer_id" TEXT NOT NULL,
    "proposer_email" TEXT NOT NULL,
    "proposed_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "status" TEXT NOT NULL DEFAULT 'open',
    "decided_by_id" TEXT,
    "decided_by_email" TEXT,
    "decided_at" TIMESTAMPTZ(6),
    "note" TEXT,
    "decision_evidence" JSONB,

    CONSTRAINT "verdict_proposal_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "provider_call_operation_id_started_at_idx" ON "provider_call"("operation_id", "started_at");

-- CreateIndex
CREATE INDEX "verdict_proposal_tenant_id_status_proposed_at_idx" ON "verdict_proposal"("tenant_id", "status", "proposed_at");

-- CreateIndex
CREATE INDEX "verdict_proposal_operation_id_proposed_at_idx" ON "verdict_proposal"("operation_id", "proposed_at");

-- CreateIndex
CREATE INDEX "key_misuse_tenant_id_last_at_record_id_idx" ON "key_misuse"("tenant_id", "last_at", "record_id");

-- AddForeignKey
ALTER TABLE "key_misuse" ADD CONSTRAINT "key_misuse_record_id_fkey" FOREIGN KEY ("record_id") REFERENCES "idempotency_record"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "provider_call" ADD CONSTRAINT "provider_call_operation_id_fkey" FOREIGN KEY ("operation_id") REFERENCES "idempotency_record"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "verdict_proposal" ADD CONSTRAINT "verdict_proposal_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "organization"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- ------------------------------------------------------------------- misuse of keys

ALTER TABLE key_misuse
  ADD CONSTRAINT key_misuse_kind CHECK (kind IN ('command', 'principal')),
  ADD CONSTRAINT key_misuse_times CHECK (times >= 1);

ALTER TABLE provider_call ADD CONSTRAINT provider_call_outcome
  CHECK (outcome IN ('answered', 'not_executed', 'rejected', 'ambiguous', 'not_found', 'threw'));

-- As before, with two additions: the digests are part of what was asked, and a person's word releases nothing.
CREATE OR REPLACE FUNCTION idempotency_record_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF NEW.status <> 'in_progress' OR NEW.attempt <> 1 THEN
      RAISE EXCEPTION 'an idempotency record begins in_progress, as attempt 1';
    END IF;
    RETURN NEW;
  END IF;

  IF (NEW.id, NEW.tenant_id, NEW.operation, NEW.key, NEW.fingerprint, NEW.fingerprint_version, NEW.field_digests,
      NEW.principal, NEW.created_at)
    IS DISTINCT FROM
     (OLD.id, OLD.tenant_id, OLD.operation, OLD.key, OLD.fingerprint, OLD.fingerprint_version, OLD.field_digests,
      OLD.principal, OLD.created_at)
  THEN
    RAISE EXCEPTION 'idempotency record %: what was asked, and by whom, never changes', OLD.id;
  END IF;

  IF OLD.status <> NEW.status AND (OLD.status, NEW.status) NOT IN (
    ('in_progress', 'completed'), ('in_progress', 'failed_retryable'), ('in_progress', 'unknown'),
    ('unknown', 'completed'), ('unknown', 'failed_retryable'),
    ('failed_retryable', 'in_progress'),
    ('completed', 'expired'), ('failed_retryable', 'expired'))
  THEN
    RAISE EXCEPTION 'idempotency record %: % can not become %', OLD.id, OLD.status, NEW.status;
  END IF;

  IF NEW.attempt <> OLD.attempt + (OLD.status = 'failed_retryable' AND NEW.status = 'in_progress')::int THEN
    RAISE EXCEPTION 'idempotency record %: an attempt begins exactly when a released key is claimed again', OLD.id;
  END IF;

  IF OLD.effect_sent AND NEW.status = 'failed_retryable' AND NEW.transition_cause = 'lease_expired' THEN
    RAISE EXCEPTION 'idempotency record %: time alone proves nothing about an effect that may have left', OLD.id;
  END IF;

  IF NEW.status = 'failed_retryable' AND NEW.transition_cause = 'operator_verdict' THEN
    RAISE EXCEPTION 'idempotency record %: a key is released by a fence or an answer, never by a person''s word', OLD.id;
  END IF;

  IF OLD.effect_sent AND NOT NEW.effect_sent AND NEW.status = 'in_progress' THEN
    RAISE EXCEPTION 'idempotency record %: an owner can not take back that something may have been sent', OLD.id;
  END IF;

  IF OLD.response_status IS NOT NULL AND (
    NEW.response_status IS DISTINCT FROM OLD.response_status
    OR (NEW.response_body IS NOT NULL AND NEW.response_body IS DISTINCT FROM OLD.response_body))
  THEN
    RAISE EXCEPTION 'idempotency record %: a stored answer never changes', OLD.id;
  END IF;
  RETURN NEW;
END $$;

-- ------------------------------------------------------------------------ proposals

ALTER TABLE verdict_proposal
  -- Only that something happened can be said without proof. That nothing did is for a fence to prove.
  ADD CONSTRAINT verdict_proposal_verdict CHECK (verdict IN ('charged', 'refunded')),
  ADD CONSTRAINT verdict_proposal_status
    CHECK (status IN ('open', 'approved', 'rejected', 'void', 'withdrawn')),
  ADD CONSTRAINT verdict_proposal_reason CHECK (length(trim(reason)) > 0),
  ADD CONSTRAINT verdict_proposal_decided CHECK ((status = 'open') = (decided_at IS NULL)),
  ADD CONSTRAINT verdict_proposal_four_eyes
    CHECK (status NOT IN ('approved', 'rejected') OR (decided_by_id IS NOT NULL AND decided_by_id <> proposer_id)),
  ADD CONSTRAINT verdict_proposal_withdrawn CHECK (status <> 'withdrawn' OR decided_by_id = proposer_id);

CREATE UNIQUE INDEX verdict_proposal_one_open ON verdict_proposal (operation_id) WHERE status = 'open';

CREATE FUNCTION verdict_proposal_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.id, NEW.tenant_id, NEW.operation_id, NEW.verdict, NEW.reason, NEW.evidence, NEW.evidence_digest,
      NEW.proposer_id, NEW.proposer_email, NEW.proposed_at)
    IS DISTINCT FROM
     (OLD.id, OLD.tenant_id, OLD.operation_id, OLD.verdict, OLD.reason, OLD.evidence, OLD.evidence_digest,
      OLD.proposer_id, OLD.proposer_email, OLD.proposed_at)
  THEN
    RAISE EXCEPTION 'proposal %: what was proposed never changes', OLD.id;
  END IF;
  IF OLD.status <> 'open' THEN
    RAISE EXCEPTION 'proposal % is %: what was decided stays decided', OLD.id, OLD.status;
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER verdict_proposal_guard BEFORE UPDATE ON verdict_proposal
  FOR EACH ROW EXECUTE FUNCTION verdict_proposal_guard();
CREATE TRIGGER verdict_proposal_kept BEFORE DELETE OR TRUNCATE ON verdict_proposal
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Whoever brings the truth first ends what was proposed in its absence, in the same commit.
CREATE FUNCTION idempotency_record_void_proposals() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE verdict_proposal SET status = 'void', decided_at = clock_timestamp(),
    note = 'Settled meanwhile by ' || NEW.transition_actor || ': ' || NEW.transition_cause
  WHERE operation_id = NEW.id AND status = 'open';
  RETURN NULL;
END $$;

CREATE TRIGGER idempotency_record_void_proposals AFTER UPDATE OF status ON idempotency_record
  FOR EACH ROW WHEN (OLD.status = 'unknown' AND NEW.status <> 'unknown' AND NEW.transition_cause <> 'operator_verdict')
  EXECUTE FUNCTION idempotency_record_void_proposals();
