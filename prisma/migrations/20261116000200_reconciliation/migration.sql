-- AlterTable
ALTER TABLE "idempotency_record" ADD COLUMN     "escalated_at" TIMESTAMPTZ(6);

-- CreateTable
CREATE TABLE "provider_event" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "provider" TEXT NOT NULL,
    "event_id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "operation_id" UUID,
    "payload" JSONB NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'received',
    "outcome" TEXT,
    "received_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "processed_at" TIMESTAMPTZ(6),

    CONSTRAINT "provider_event_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "provider_circuit" (
    "provider" TEXT NOT NULL,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "open_until" TIMESTAMPTZ(6),
    "changed_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "provider_circuit_pkey" PRIMARY KEY ("provider")
);

-- CreateTable
CREATE TABLE "late_truth" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "tenant_id" TEXT NOT NULL,
    "payment_id" UUID NOT NULL,
    "intent_id" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'open',
    "found_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "decided_at" TIMESTAMPTZ(6),
    "decided_by" TEXT,

    CONSTRAINT "late_truth_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "provider_event_provider_event_id_key" ON "provider_event"("provider", "event_id");
CREATE INDEX "provider_event_operation_id_idx" ON "provider_event"("operation_id");
CREATE INDEX "provider_event_received_at_idx" ON "provider_event"("received_at");
CREATE UNIQUE INDEX "late_truth_intent_id_key" ON "late_truth"("intent_id");
CREATE INDEX "late_truth_tenant_id_status_idx" ON "late_truth"("tenant_id", "status");

-- AddForeignKey
ALTER TABLE "late_truth" ADD CONSTRAINT "late_truth_payment_id_fkey" FOREIGN KEY ("payment_id") REFERENCES "payment"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE provider_event
  ADD CONSTRAINT provider_event_status CHECK (status IN ('received', 'processed', 'ignored'));
ALTER TABLE late_truth ADD CONSTRAINT late_truth_status CHECK (status IN ('open', 'refunded', 'dismissed'));

-- Only what is unknown can be in the operators' queue.
ALTER TABLE idempotency_record
  ADD CONSTRAINT idempotency_record_escalated CHECK (escalated_at IS NULL OR status = 'unknown');
CREATE INDEX idempotency_record_escalated ON idempotency_record (tenant_id, escalated_at) WHERE escalated_at IS NOT NULL;
