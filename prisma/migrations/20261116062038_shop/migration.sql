-- AlterTable
ALTER TABLE "product" ADD COLUMN     "details" JSONB NOT NULL DEFAULT '[]',
ADD COLUMN     "story" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "withdrawn_at" TIMESTAMPTZ(6);

-- AlterTable
ALTER TABLE "shop_order" ADD COLUMN     "cart_id" UUID,
ADD COLUMN     "cart_key" TEXT;

-- CreateIndex
CREATE INDEX "shop_order_tenant_id_cart_id_idx" ON "shop_order"("tenant_id", "cart_id");

-- CreateIndex
CREATE UNIQUE INDEX "shop_order_tenant_id_cart_key_key" ON "shop_order"("tenant_id", "cart_key");

ALTER TABLE product
  ADD CONSTRAINT product_details CHECK (jsonb_typeof(details) = 'array'),
  -- /s/<shop>/cart is the cart's address, so nothing on the shelf may be called that.
  ADD CONSTRAINT product_slug CHECK (slug ~ '^[a-z0-9-]{1,60}$' AND slug <> 'cart');

ALTER TABLE shop_order
  ADD CONSTRAINT shop_order_cart CHECK ((cart_id IS NULL) = (cart_key IS NULL));

-- An order is what somebody agreed to pay: a cart that changed becomes another order, never this one again.
CREATE FUNCTION shop_order_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.id, NEW.tenant_id, NEW.number, NEW.amount_minor, NEW.currency, NEW.cart_id, NEW.cart_key)
    IS DISTINCT FROM
     (OLD.id, OLD.tenant_id, OLD.number, OLD.amount_minor, OLD.currency, OLD.cart_id, OLD.cart_key)
  THEN
    RAISE EXCEPTION 'order %: what was ordered never changes', OLD.number;
  END IF;
  IF OLD.cancelled_at IS NOT NULL AND NEW.cancelled_at IS DISTINCT FROM OLD.cancelled_at THEN
    RAISE EXCEPTION 'order % is cancelled, and stays so', OLD.number;
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER shop_order_guard BEFORE UPDATE ON shop_order FOR EACH ROW EXECUTE FUNCTION shop_order_guard();
