-- CreateTable
CREATE TABLE "email" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "tenant_id" TEXT NOT NULL,
    "dedupe_key" TEXT NOT NULL,
    "to_address" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "html" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'queued',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "lease_until" TIMESTAMPTZ(6),
    "last_error" TEXT,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "sent_at" TIMESTAMPTZ(6),

    CONSTRAINT "email_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "merchant_webhook_endpoint" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "tenant_id" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "secret" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "disabled_at" TIMESTAMPTZ(6),

    CONSTRAINT "merchant_webhook_endpoint_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "merchant_webhook_delivery" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "tenant_id" TEXT NOT NULL,
    "event_id" UUID NOT NULL,
    "endpoint_id" UUID NOT NULL,
    "body" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'queued',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "lease_until" TIMESTAMPTZ(6),
    "last_status" INTEGER,
    "last_error" TEXT,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "delivered_at" TIMESTAMPTZ(6),

    CONSTRAINT "merchant_webhook_delivery_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "email_dedupe_key_key" ON "email"("dedupe_key");

-- CreateIndex
CREATE INDEX "email_tenant_id_created_at_id_idx" ON "email"("tenant_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "merchant_webhook_endpoint_tenant_id_idx" ON "merchant_webhook_endpoint"("tenant_id");

-- CreateIndex
CREATE INDEX "merchant_webhook_delivery_tenant_id_created_at_id_idx" ON "merchant_webhook_delivery"("tenant_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "merchant_webhook_delivery_endpoint_id_idx" ON "merchant_webhook_delivery"("endpoint_id");

-- CreateIndex
CREATE UNIQUE INDEX "merchant_webhook_delivery_event_id_endpoint_id_key" ON "merchant_webhook_delivery"("event_id", "endpoint_id");

-- AddForeignKey
ALTER TABLE "merchant_webhook_delivery" ADD CONSTRAINT "merchant_webhook_delivery_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "outbox_event"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "merchant_webhook_delivery" ADD CONSTRAINT "merchant_webhook_delivery_endpoint_id_fkey" FOREIGN KEY ("endpoint_id") REFERENCES "merchant_webhook_endpoint"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What Prisma cannot express.

ALTER TABLE email
  ADD CONSTRAINT email_status CHECK (status IN ('queued', 'sent', 'kept', 'failed')),
  ADD CONSTRAINT email_attempts CHECK (attempts >= 0),
  ADD CONSTRAINT email_sent CHECK ((status = 'sent') = (sent_at IS NOT NULL)),
  -- What went wrong for good can be read.
  ADD CONSTRAINT email_failed CHECK (status <> 'failed' OR last_error IS NOT NULL),
  -- Only what is still to be sent can be somebody's to send.
  ADD CONSTRAINT email_lease CHECK (status = 'queued' OR lease_until IS NULL);

ALTER TABLE merchant_webhook_delivery
  ADD CONSTRAINT merchant_webhook_delivery_status CHECK (status IN ('queued', 'delivered', 'failed')),
  ADD CONSTRAINT merchant_webhook_delivery_attempts CHECK (attempts >= 0),
  ADD CONSTRAINT merchant_webhook_delivery_delivered CHECK ((status = 'delivered') = (delivered_at IS NOT NULL)),
  ADD CONSTRAINT merchant_webhook_delivery_answered CHECK (status <> 'delivered' OR last_status BETWEEN 200 AND 299),
  ADD CONSTRAINT merchant_webhook_delivery_failed CHECK (status <> 'failed' OR last_error IS NOT NULL),
  ADD CONSTRAINT merchant_webhook_delivery_lease CHECK (status = 'queued' OR lease_until IS NULL);

ALTER TABLE merchant_webhook_endpoint
  ADD CONSTRAINT merchant_webhook_endpoint_url CHECK (url ~ '^https?://'),
  ADD CONSTRAINT merchant_webhook_endpoint_secret CHECK (length(secret) >= 32);

-- One live endpoint per tenant: an event is told once.
CREATE UNIQUE INDEX merchant_webhook_endpoint_one_live ON merchant_webhook_endpoint (tenant_id)
  WHERE disabled_at IS NULL;

-- What has left can not be called back, so no late or doubled report may say otherwise.
CREATE FUNCTION notification_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.status IN ('sent', 'delivered') AND NEW.status <> OLD.status THEN
    RAISE EXCEPTION '% % is %: that is final', TG_TABLE_NAME, OLD.id, OLD.status;
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER email_guard BEFORE UPDATE ON email FOR EACH ROW EXECUTE FUNCTION notification_guard();
CREATE TRIGGER merchant_webhook_delivery_guard BEFORE UPDATE ON merchant_webhook_delivery
  FOR EACH ROW EXECUTE FUNCTION notification_guard();
