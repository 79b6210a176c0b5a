-- AlterTable
ALTER TABLE "provider_event" ALTER COLUMN "payload" DROP NOT NULL;

-- What the reaper looks for, and nothing else.
CREATE INDEX provider_event_payload_due ON provider_event (processed_at) WHERE payload IS NOT NULL;
