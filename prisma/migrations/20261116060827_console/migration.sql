-- CreateTable
CREATE TABLE "audit_entry" (
    "id" BIGSERIAL NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "actor_id" TEXT NOT NULL,
    "actor_email" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "subject_type" TEXT NOT NULL,
    "subject_id" TEXT NOT NULL,
    "reason" TEXT,
    "details" JSONB,
    "at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "audit_entry_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "tenant_settings" (
    "tenant_id" TEXT NOT NULL,
    "lease_ms" INTEGER,
    "replay_hours" INTEGER,
    "body_hours" INTEGER,
    "metadata_hours" INTEGER,
    "four_eyes" BOOLEAN NOT NULL DEFAULT true,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_by" TEXT,

    CONSTRAINT "tenant_settings_pkey" PRIMARY KEY ("tenant_id")
);

-- CreateIndex
CREATE INDEX "audit_entry_tenant_id_id_idx" ON "audit_entry"("tenant_id", "id");

-- CreateIndex
CREATE INDEX "audit_entry_tenant_id_subject_type_subject_id_id_idx" ON "audit_entry"("tenant_id", "subject_type", "subject_id", "id");

-- AddForeignKey
ALTER TABLE "audit_entry" ADD CONSTRAINT "audit_entry_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "organization"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tenant_settings" ADD CONSTRAINT "tenant_settings_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "organization"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What people did stays told as it was.
CREATE TRIGGER audit_entry_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entry
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

ALTER TABLE member ADD CONSTRAINT member_role CHECK (role IN ('viewer', 'operator', 'approver', 'owner'));
ALTER TABLE invitation
  ADD CONSTRAINT invitation_role CHECK (role IS NULL OR role IN ('viewer', 'operator', 'approver', 'owner'));

ALTER TABLE tenant_settings
  ADD CONSTRAINT tenant_settings_positive
    CHECK (lease_ms > 0 AND replay_hours > 0 AND body_hours > 0 AND metadata_hours > 0),
  -- A body nobody may be answered with any more is only a liability; a key outlives its answer, never the other way.
  ADD CONSTRAINT tenant_settings_order CHECK (body_hours <= replay_hours AND replay_hours <= metadata_hours);
