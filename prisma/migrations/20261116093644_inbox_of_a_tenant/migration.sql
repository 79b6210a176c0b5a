-- AlterTable
ALTER TABLE "provider_event" ADD COLUMN     "tenant_id" TEXT;

UPDATE provider_event e SET tenant_id = r.tenant_id FROM idempotency_record r WHERE r.id = e.operation_id;

-- CreateTable
CREATE TABLE "spent_code" (
    "subject" TEXT NOT NULL,
    "spent_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "spent_code_pkey" PRIMARY KEY ("subject")
);

-- CreateIndex
CREATE INDEX "spent_code_spent_at_idx" ON "spent_code"("spent_at");

-- CreateIndex
CREATE INDEX "audit_entry_tenant_id_actor_email_id_idx" ON "audit_entry"("tenant_id", "actor_email", "id");

-- CreateIndex
CREATE INDEX "audit_entry_tenant_id_action_id_idx" ON "audit_entry"("tenant_id", "action", "id");

-- CreateIndex
CREATE INDEX "provider_event_tenant_id_received_at_id_idx" ON "provider_event"("tenant_id", "received_at", "id");

-- CreateIndex
CREATE INDEX "provider_event_tenant_id_type_received_at_id_idx" ON "provider_event"("tenant_id", "type", "received_at", "id");
