-- AlterTable
ALTER TABLE "idempotency_record" ADD COLUMN     "scheduled_for" TIMESTAMPTZ(6);
