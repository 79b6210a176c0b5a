-- Products, and the orders that payments refer to by number.

CREATE TABLE product (
  id           uuid NOT NULL DEFAULT gen_random_uuid(),
  tenant_id    text NOT NULL,
  slug         text NOT NULL,
  name         text NOT NULL,
  description  text NOT NULL,
  story        text NOT NULL DEFAULT '',
  details      jsonb NOT NULL DEFAULT '[]',
  amount_minor bigint NOT NULL,
  currency     text NOT NULL,
  art          text NOT NULL,
  position     integer NOT NULL DEFAULT 0,
  withdrawn_at timestamptz,
  CONSTRAINT product_pkey PRIMARY KEY (id),
  CONSTRAINT product_tenant_id_fkey FOREIGN KEY (tenant_id)
    REFERENCES organization (id) ON DELETE RESTRICT
);
CREATE UNIQUE INDEX product_tenant_id_slug_key
  ON product (tenant_id, slug);

ALTER TABLE product
  ADD CONSTRAINT product_amount CHECK (amount_minor > 0),
  ADD CONSTRAINT product_details CHECK (jsonb_typeof(details) = 'array'),
  -- /s/<shop>/cart is the cart's address, so no product may have that slug.
  ADD CONSTRAINT product_slug CHECK (slug ~ '^[a-z0-9-]{1,60}$' AND slug <> 'cart');

CREATE TABLE shop_order (
  id           uuid NOT NULL DEFAULT gen_random_uuid(),
  tenant_id    text NOT NULL,
  number       text NOT NULL,
  amount_minor bigint NOT NULL,
  currency     text NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  cancelled_at timestamptz,
  cart_id      uuid,
  cart_key     text,
  CONSTRAINT shop_order_pkey PRIMARY KEY (id),
  CONSTRAINT shop_order_tenant_id_fkey FOREIGN KEY (tenant_id)
    REFERENCES organization (id) ON DELETE RESTRICT
);
CREATE INDEX shop_order_tenant_id_cart_id_idx
  ON shop_order (tenant_id, cart_id);
CREATE UNIQUE INDEX shop_order_tenant_id_number_key
  ON shop_order (tenant_id, number);
CREATE UNIQUE INDEX shop_order_tenant_id_cart_key_key
  ON shop_order (tenant_id, cart_key);

ALTER TABLE shop_order
  ADD CONSTRAINT shop_order_amount CHECK (amount_minor > 0),
  ADD CONSTRAINT shop_order_cart CHECK ((cart_id IS NULL) = (cart_key IS NULL));

-- An order is what the shopper agreed to pay. A changed cart becomes another order.
CREATE FUNCTION shop_order_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.id, NEW.tenant_id, NEW.number, NEW.amount_minor, NEW.currency, NEW.cart_id, NEW.cart_key)
    IS DISTINCT FROM
     (OLD.id, OLD.tenant_id, OLD.number, OLD.amount_minor, OLD.currency, OLD.cart_id, OLD.cart_key)
  THEN
    RAISE EXCEPTION 'order %: what was ordered never changes', OLD.number;
  END IF;
  IF OLD.cancelled_at IS NOT NULL AND NEW.cancelled_at IS DISTINCT FROM OLD.cancelled_at THEN
    RAISE EXCEPTION 'order % stays cancelled', OLD.number;
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER shop_order_guard BEFORE UPDATE ON shop_order FOR EACH ROW EXECUTE FUNCTION shop_order_guard();

CREATE TABLE shop_order_line (
  order_id          uuid NOT NULL,
  product_id        uuid NOT NULL,
  name              text NOT NULL,
  quantity          integer NOT NULL,
  unit_amount_minor bigint NOT NULL,
  CONSTRAINT shop_order_line_pkey PRIMARY KEY (order_id, product_id),
  CONSTRAINT shop_order_line_order_id_fkey FOREIGN KEY (order_id)
    REFERENCES shop_order (id) ON DELETE CASCADE,
  CONSTRAINT shop_order_line_product_id_fkey FOREIGN KEY (product_id)
    REFERENCES product (id) ON DELETE RESTRICT
);

ALTER TABLE shop_order_line ADD CONSTRAINT shop_order_line_quantity CHECK (quantity BETWEEN 1 AND 99);
