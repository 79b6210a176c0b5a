-- Who approves is an approver or owner of the tenant at that moment, and has been one for long enough. A person whose role was
-- taken away while their approval waited for the provider has no such row. The lock keeps the role until the commit.
CREATE FUNCTION may_approve(tenant text, person text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM member WHERE organization_id = tenant AND user_id = person AND role IN ('approver', 'owner')
    AND (approves_from IS NULL OR approves_from <= clock_timestamp()) FOR SHARE;
  RETURN FOUND;
END $$;

CREATE OR REPLACE FUNCTION resolution_proposal_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.id, NEW.tenant_id, NEW.operation_id, NEW.assertion, NEW.reason, NEW.evidence, NEW.evidence_digest,
      NEW.proposer_id, NEW.proposer_email, NEW.proposed_at)
    IS DISTINCT FROM
     (OLD.id, OLD.tenant_id, OLD.operation_id, OLD.assertion, OLD.reason, OLD.evidence, OLD.evidence_digest,
      OLD.proposer_id, OLD.proposer_email, OLD.proposed_at)
  THEN
    RAISE EXCEPTION 'proposal %: what was proposed never changes', OLD.id;
  END IF;
  IF OLD.status <> 'open' THEN
    RAISE EXCEPTION 'proposal % is %, which is final', OLD.id, OLD.status;
  END IF;
  IF NEW.status = 'approved' AND NOT may_approve(NEW.tenant_id, NEW.decided_by_id) THEN
    RAISE EXCEPTION 'proposal %: the person may not approve, or not yet', OLD.id;
  END IF;
  RETURN NEW;
END $$;

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
  IF NEW.status = 'approved' AND NOT may_approve(NEW.tenant_id, NEW.decided_by_id) THEN
    RAISE EXCEPTION 'refund proposal %: the person may not approve, or not yet', OLD.id;
  END IF;
  RETURN NEW;
END $$;
