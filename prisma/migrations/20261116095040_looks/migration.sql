-- AlterTable
ALTER TABLE "idempotency_record" ADD COLUMN     "looked_at" TIMESTAMPTZ(6);

-- AlterTable
ALTER TABLE "provider_circuit" ADD COLUMN     "paused_until" TIMESTAMPTZ(6);
