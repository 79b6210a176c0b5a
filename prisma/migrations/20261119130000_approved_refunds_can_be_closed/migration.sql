-- An approved refund that was not made and is no longer wanted is closed by a person, who says why. It waited without end.
ALTER TABLE refund_proposal
  ADD COLUMN closed_at timestamptz,
  ADD COLUMN closed_by_id text,
  ADD COLUMN closed_by_email text,
  ADD COLUMN close_reason text;

ALTER TABLE refund_proposal
  DROP CONSTRAINT refund_proposal_status,
  DROP CONSTRAINT refund_proposal_four_eyes,
  ADD CONSTRAINT refund_proposal_status
    CHECK (status IN ('open', 'approved', 'rejected', 'void', 'withdrawn', 'closed')) NOT VALID,
  ADD CONSTRAINT refund_proposal_four_eyes CHECK (
    status NOT IN ('approved', 'rejected', 'closed') OR (decided_by_id IS NOT NULL AND decided_by_id <> proposer_id)) NOT VALID,
  ADD CONSTRAINT refund_proposal_closed CHECK (
    CASE status
      WHEN 'closed' THEN
        num_nulls(closed_at, closed_by_id, closed_by_email, close_reason) = 0 AND length(trim(close_reason)) > 0
      ELSE num_nonnulls(closed_at, closed_by_id, closed_by_email, close_reason) = 0
    END) NOT VALID;

-- Of a decision, only that it was approved is not the end.
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
  IF NEW.status = 'closed' THEN
    IF OLD.status <> 'approved' OR (NEW.decided_by_id, NEW.decided_by_email, NEW.decided_at, NEW.note)
      IS DISTINCT FROM (OLD.decided_by_id, OLD.decided_by_email, OLD.decided_at, OLD.note)
    THEN
      RAISE EXCEPTION 'refund proposal % is %: only an approved one can be closed, as it was approved', OLD.id, OLD.status;
    END IF;
    RETURN NEW;
  END IF;
  IF OLD.status <> 'open' THEN
    RAISE EXCEPTION 'refund proposal % is %, which is final', OLD.id, OLD.status;
  END IF;
  IF NEW.status = 'approved' AND NOT may_approve(NEW.tenant_id, NEW.decided_by_id) THEN
    RAISE EXCEPTION 'refund proposal %: the person may not approve, or not yet', OLD.id;
  END IF;
  RETURN NEW;
END $$;
