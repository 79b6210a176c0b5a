-- DropIndex
DROP INDEX "idempotency_record_status_tenant_id_created_at_id_idx";

-- CreateTable
CREATE TABLE "activity_bucket" (
    "tenant_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "le_ms" INTEGER NOT NULL DEFAULT 0,
    "bucket_at" TIMESTAMPTZ(0) NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "activity_bucket_pkey" PRIMARY KEY ("tenant_id","kind","bucket_at","le_ms")
);

-- CreateTable
CREATE TABLE "saved_view" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "tenant_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "query" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "saved_view_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "activity_bucket_bucket_at_idx" ON "activity_bucket"("bucket_at");

-- CreateIndex
CREATE INDEX "saved_view_user_id_idx" ON "saved_view"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "saved_view_tenant_id_user_id_name_key" ON "saved_view"("tenant_id", "user_id", "name");

-- CreateIndex
CREATE INDEX "idempotency_record_tenant_id_operation_status_created_at_id_idx" ON "idempotency_record"("tenant_id", "operation", "status", "created_at", "id");

-- CreateIndex
CREATE INDEX "payment_tenant_id_currency_status_amount_minor_operation_id_idx" ON "payment"("tenant_id", "currency", "status", "amount_minor", "operation_id");

-- CreateIndex
CREATE INDEX "refund_tenant_id_status_amount_minor_operation_id_idx" ON "refund"("tenant_id", "status", "amount_minor", "operation_id");

-- CreateIndex
CREATE INDEX "refund_provider_refund_id_idx" ON "refund"("provider_refund_id");

-- AddForeignKey
ALTER TABLE "saved_view" ADD CONSTRAINT "saved_view_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "organization"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "saved_view" ADD CONSTRAINT "saved_view_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- ---------------------------------------------------------------- by hand

-- Keys and references are strings of bytes, not words of a language. In this order a beginning of one is a range of the
-- index that is there already, and a claim compares with memcmp.
ALTER TABLE idempotency_record ALTER COLUMN key TYPE text COLLATE "C";
ALTER TABLE payment ALTER COLUMN reference TYPE text COLLATE "C";

-- Each holds only what it finds: a payment that goes well is in none of them.
CREATE INDEX idempotency_record_unknown_since ON idempotency_record (tenant_id, operation, updated_at, id)
  WHERE status = 'unknown';
CREATE INDEX idempotency_record_queue ON idempotency_record (tenant_id, operation, created_at, id)
  WHERE escalated_at IS NOT NULL;
CREATE INDEX idempotency_record_trouble
  ON idempotency_record (tenant_id, last_error_code, operation, status, created_at, id)
  WHERE last_error_code IS NOT NULL;

-- What people read out on the phone.
CREATE INDEX payment_charge ON payment (provider_charge_id) WHERE provider_charge_id IS NOT NULL;
CREATE INDEX payment_email ON payment (tenant_id, lower(receipt_email), created_at)
  WHERE receipt_email IS NOT NULL;

ALTER TABLE activity_bucket
  ADD CONSTRAINT activity_bucket_count CHECK (count > 0),
  ADD CONSTRAINT activity_bucket_step CHECK (extract(epoch FROM bucket_at)::bigint % 300 = 0),
  ADD CONSTRAINT activity_bucket_cell CHECK (le_ms >= 0);
ALTER TABLE saved_view
  ADD CONSTRAINT saved_view_name CHECK (name = btrim(name) AND length(name) BETWEEN 1 AND 60),
  ADD CONSTRAINT saved_view_query CHECK (length(query) <= 2000);
