-- As for resolution proposals: a member who became an approver a short time ago may not approve yet.
CREATE OR REPLACE FUNCTION refund_proposal_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.tenant_id, NEW.id, NEW.payment_id, NEW.amount_minor, NEW.refunds_before, NEW.reason,
      NEW.proposer_id, NEW.proposer_email, NEW.proposed_at)
    IS DISTINCT FROM
     (OLD.tenant_id, OLD.id, OLD.payment_id, OLD.amount_minor, OLD.refunds_before, OLD.reason,
      OLD.proposer_id, OLD.proposer_email, OLD.proposed_at)
  THEN
    RAISE EXCEPTION 'refund proposal %: what was proposed never changes', OLD.id;
  END IF;
  IF OLD.status <> 'open' THEN
    RAISE EXCEPTION 'refund proposal % is %, which is final', OLD.id, OLD.status;
  END IF;
  IF NEW.status = 'approved' AND EXISTS (
    SELECT FROM member WHERE organization_id = NEW.tenant_id AND user_id = NEW.decided_by_id
      AND approves_from > clock_timestamp())
  THEN
    RAISE EXCEPTION 'refund proposal %: the member may not approve yet', OLD.id;
  END IF;
  RETURN NEW;
END $$;
