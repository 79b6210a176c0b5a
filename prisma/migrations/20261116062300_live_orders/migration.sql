-- Whoever looks at an order is told with the commit that something about its payments has changed. The channel is the one
-- of the operations; the topic is whose order it is, and its number. Equal topics of one transaction are told once.
CREATE FUNCTION tell_of_reference(tenant text, reference text) RETURNS void LANGUAGE sql AS $$
  SELECT pg_notify('paidonce_operation', 'reference:' || tenant || ':' || reference);
$$;

CREATE FUNCTION payment_tell() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM tell_of_reference(NEW.tenant_id, NEW.reference);
  RETURN NULL;
END $$;

CREATE TRIGGER payment_tell_new AFTER INSERT ON payment
  FOR EACH ROW EXECUTE FUNCTION payment_tell();

CREATE TRIGGER payment_tell_change AFTER UPDATE ON payment
  FOR EACH ROW WHEN ((OLD.status, OLD.next_action_url, OLD.refunded_minor)
    IS DISTINCT FROM (NEW.status, NEW.next_action_url, NEW.refunded_minor))
  EXECUTE FUNCTION payment_tell();

-- The receipt's number is issued by the worker a moment after the payment.
CREATE FUNCTION receipt_tell() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM tell_of_reference(tenant_id, reference) FROM payment WHERE id = NEW.payment_id;
  RETURN NULL;
END $$;

CREATE TRIGGER receipt_tell AFTER INSERT ON receipt
  FOR EACH ROW EXECUTE FUNCTION receipt_tell();
