-- Payments go on while this reads the table. The CHECKs that are dropped are implied by the one that is validated.
ALTER TABLE payment VALIDATE CONSTRAINT payment_fits_status;
ALTER TABLE payment
  DROP CONSTRAINT payment_status,
  DROP CONSTRAINT payment_refunded,
  DROP CONSTRAINT payment_refunded_paid,
  DROP CONSTRAINT payment_completed,
  DROP CONSTRAINT payment_declined,
  DROP CONSTRAINT payment_asserted,
  DROP CONSTRAINT payment_next_action;
