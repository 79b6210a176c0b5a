-- A page that shows an order is woken when a charge of it is found, and when an operator has decided about it.
CREATE FUNCTION reconciliation_exception_notify() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM notify_reference(tenant_id, reference) FROM payment
  WHERE tenant_id = NEW.tenant_id AND id = NEW.payment_id;
  RETURN NULL;
END $$;

CREATE TRIGGER reconciliation_exception_notify AFTER INSERT OR UPDATE OF status ON reconciliation_exception
  FOR EACH ROW EXECUTE FUNCTION reconciliation_exception_notify();
