-- CreateTable
CREATE TABLE "metric_counter" (
    "name" TEXT NOT NULL,
    "labels" TEXT NOT NULL,
    "value" DOUBLE PRECISION NOT NULL,

    CONSTRAINT "metric_counter_pkey" PRIMARY KEY ("name","labels")
);

-- Gauges are computed at every scrape: each has an index that holds only what it counts.
CREATE INDEX provider_event_unprocessed ON provider_event (received_at) WHERE status = 'received';
CREATE INDEX provider_event_succeeded ON provider_event (received_at, operation_id)
  WHERE type = 'payment_intent.succeeded';
CREATE INDEX payment_succeeded ON payment (settled_at) WHERE status = 'succeeded';
CREATE INDEX late_truth_open ON late_truth (found_at) WHERE status = 'open';
