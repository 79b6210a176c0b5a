-- The admin console: decisions of operators, the audit log, settings, and the figures it shows.

CREATE TABLE resolution_proposal (
  id                uuid NOT NULL DEFAULT gen_random_uuid(),
  tenant_id         text NOT NULL,
  operation_id      uuid NOT NULL,
  assertion         text NOT NULL,
  reason            text NOT NULL,
  evidence          jsonb NOT NULL,
  evidence_digest   text NOT NULL,
  proposer_id       text NOT NULL,
  proposer_email    text NOT NULL,
  proposed_at       timestamptz NOT NULL DEFAULT now(),
  status            text NOT NULL DEFAULT 'open',
  decided_by_id     text,
  decided_by_email  text,
  decided_at        timestamptz,
  note              text,
  decision_evidence jsonb,
  CONSTRAINT resolution_proposal_pkey PRIMARY KEY (id),
  CONSTRAINT resolution_proposal_tenant_id_fkey FOREIGN KEY (tenant_id)
    REFERENCES organization (id) ON DELETE RESTRICT
);
CREATE INDEX resolution_proposal_tenant_id_status_proposed_at_idx
  ON resolution_proposal (tenant_id, status, proposed_at);
CREATE INDEX resolution_proposal_tenant_id_operation_id_proposed_at_idx
  ON resolution_proposal (tenant_id, operation_id, proposed_at);

ALTER TABLE resolution_proposal
  -- Without proof an operator may only assert that money moved. That none moved takes the provider's response or a
  -- cancelled intent.
  ADD CONSTRAINT resolution_proposal_assertion CHECK (assertion IN ('charged', 'refunded')),
  ADD CONSTRAINT resolution_proposal_status
    CHECK (status IN ('open', 'approved', 'rejected', 'void', 'withdrawn')),
  ADD CONSTRAINT resolution_proposal_reason CHECK (length(trim(reason)) > 0),
  ADD CONSTRAINT resolution_proposal_decided CHECK ((status = 'open') = (decided_at IS NULL)),
  ADD CONSTRAINT resolution_proposal_four_eyes
    CHECK (status NOT IN ('approved', 'rejected') OR (decided_by_id IS NOT NULL AND decided_by_id <> proposer_id)),
  ADD CONSTRAINT resolution_proposal_withdrawn CHECK (status <> 'withdrawn' OR decided_by_id = proposer_id);

CREATE UNIQUE INDEX resolution_proposal_one_open ON resolution_proposal (tenant_id, operation_id)
  WHERE status = 'open';

CREATE FUNCTION resolution_proposal_guard() RETURNS trigger LANGUAGE plpgsql AS $$
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
  IF NEW.status = 'approved' AND EXISTS (
    SELECT FROM member WHERE organization_id = NEW.tenant_id AND user_id = NEW.decided_by_id
      AND approves_from > clock_timestamp())
  THEN
    RAISE EXCEPTION 'proposal %: the member may not approve yet', OLD.id;
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER resolution_proposal_guard BEFORE UPDATE ON resolution_proposal
  FOR EACH ROW EXECUTE FUNCTION resolution_proposal_guard();
CREATE TRIGGER resolution_proposal_keep BEFORE DELETE ON resolution_proposal
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER resolution_proposal_no_truncate BEFORE TRUNCATE ON resolution_proposal
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Evidence that arrives first voids an open proposal, in the commit that resolves the operation.
CREATE FUNCTION void_resolution_proposals() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE resolution_proposal SET status = 'void', decided_at = clock_timestamp(),
    note = 'Resolved meanwhile by ' || NEW.transition_actor || ': ' || NEW.transition_cause
  WHERE tenant_id = NEW.tenant_id AND operation_id = NEW.id AND status = 'open';
  RETURN NULL;
END $$;

CREATE TRIGGER void_resolution_proposals AFTER UPDATE OF status ON idempotency_record
  FOR EACH ROW WHEN (OLD.status = 'unknown' AND NEW.status <> 'unknown' AND NEW.transition_cause <> 'operator_override')
  EXECUTE FUNCTION void_resolution_proposals();

CREATE TABLE refund_proposal (
  tenant_id        text NOT NULL,
  id               uuid NOT NULL DEFAULT gen_random_uuid(),
  payment_id       uuid NOT NULL,
  amount_minor     bigint NOT NULL,
  refunds_before   integer NOT NULL,
  reason           text NOT NULL,
  proposer_id      text NOT NULL,
  proposer_email   text NOT NULL,
  proposed_at      timestamptz NOT NULL DEFAULT now(),
  status           text NOT NULL DEFAULT 'open',
  decided_by_id    text,
  decided_by_email text,
  decided_at       timestamptz,
  note             text,
  CONSTRAINT refund_proposal_pkey PRIMARY KEY (tenant_id, id),
  CONSTRAINT refund_proposal_tenant_id_payment_id_fkey FOREIGN KEY (tenant_id, payment_id)
    REFERENCES payment (tenant_id, id) ON DELETE RESTRICT
);
CREATE INDEX refund_proposal_tenant_id_status_proposed_at_idx
  ON refund_proposal (tenant_id, status, proposed_at);
CREATE INDEX refund_proposal_tenant_id_payment_id_proposed_at_idx
  ON refund_proposal (tenant_id, payment_id, proposed_at);

ALTER TABLE refund_proposal
  ADD CONSTRAINT refund_proposal_amount CHECK (amount_minor > 0 AND refunds_before >= 0),
  ADD CONSTRAINT refund_proposal_status
    CHECK (status IN ('open', 'approved', 'rejected', 'void', 'withdrawn')),
  ADD CONSTRAINT refund_proposal_reason CHECK (length(trim(reason)) > 0),
  ADD CONSTRAINT refund_proposal_decided CHECK ((status = 'open') = (decided_at IS NULL)),
  ADD CONSTRAINT refund_proposal_four_eyes
    CHECK (status NOT IN ('approved', 'rejected') OR (decided_by_id IS NOT NULL AND decided_by_id <> proposer_id)),
  ADD CONSTRAINT refund_proposal_withdrawn CHECK (status <> 'withdrawn' OR decided_by_id = proposer_id);

CREATE UNIQUE INDEX refund_proposal_one_open ON refund_proposal (tenant_id, payment_id) WHERE status = 'open';

CREATE FUNCTION refund_proposal_guard() RETURNS trigger LANGUAGE plpgsql AS $$
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
  RETURN NEW;
END $$;

CREATE TRIGGER refund_proposal_guard BEFORE UPDATE ON refund_proposal
  FOR EACH ROW EXECUTE FUNCTION refund_proposal_guard();
CREATE TRIGGER refund_proposal_keep BEFORE DELETE ON refund_proposal
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER refund_proposal_no_truncate BEFORE TRUNCATE ON refund_proposal
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Above this amount a refund from the console takes a second person. A currency without a row has no limit.
CREATE TABLE refund_limit (
  tenant_id    text NOT NULL,
  currency     text NOT NULL,
  amount_minor bigint NOT NULL,
  updated_at   timestamptz NOT NULL DEFAULT now(),
  updated_by   text NOT NULL,
  CONSTRAINT refund_limit_pkey PRIMARY KEY (tenant_id, currency),
  CONSTRAINT refund_limit_tenant_id_fkey FOREIGN KEY (tenant_id)
    REFERENCES organization (id) ON DELETE RESTRICT
);

ALTER TABLE refund_limit
  ADD CONSTRAINT refund_limit_amount CHECK (amount_minor >= 0),
  ADD CONSTRAINT refund_limit_currency CHECK (currency ~ '^[a-z]{3}$');

-- While there is a row, no automatic check of the tenant's unknown operations is made.
CREATE TABLE check_pause (
  tenant_id text NOT NULL,
  paused_at timestamptz NOT NULL DEFAULT now(),
  paused_by text NOT NULL,
  reason    text NOT NULL,
  CONSTRAINT check_pause_pkey PRIMARY KEY (tenant_id),
  CONSTRAINT check_pause_tenant_id_fkey FOREIGN KEY (tenant_id)
    REFERENCES organization (id) ON DELETE RESTRICT
);

-- Who takes care of an operation, and until when it is out of the queue. No foreign key: records are deleted one day.
CREATE TABLE operation_assignment (
  tenant_id      text NOT NULL,
  operation_id   uuid NOT NULL,
  assignee_id    text,
  assignee_email text,
  snoozed_until  timestamptz,
  CONSTRAINT operation_assignment_pkey PRIMARY KEY (tenant_id, operation_id)
);

ALTER TABLE operation_assignment
  ADD CONSTRAINT operation_assignment_assignee CHECK ((assignee_id IS NULL) = (assignee_email IS NULL));

CREATE TABLE audit_entry (
  id           bigserial NOT NULL,
  tenant_id    text NOT NULL,
  actor_id     text NOT NULL,
  actor_email  text NOT NULL,
  action       text NOT NULL,
  subject_type text NOT NULL,
  subject_id   text NOT NULL,
  reason       text,
  details      jsonb,
  at           timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT audit_entry_pkey PRIMARY KEY (id),
  CONSTRAINT audit_entry_tenant_id_fkey FOREIGN KEY (tenant_id)
    REFERENCES organization (id) ON DELETE RESTRICT
);
CREATE INDEX audit_entry_tenant_id_id_idx
  ON audit_entry (tenant_id, id);
CREATE INDEX audit_entry_tenant_id_actor_email_id_idx
  ON audit_entry (tenant_id, actor_email, id);
CREATE INDEX audit_entry_tenant_id_action_id_idx
  ON audit_entry (tenant_id, action, id);
CREATE INDEX audit_entry_tenant_id_subject_type_subject_id_id_idx
  ON audit_entry (tenant_id, subject_type, subject_id, id);

CREATE TRIGGER audit_entry_append_only BEFORE UPDATE OR DELETE ON audit_entry
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_entry_no_truncate BEFORE TRUNCATE ON audit_entry
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE tenant_settings (
  tenant_id      text NOT NULL,
  lease_ms       integer,
  replay_hours   integer,
  body_hours     integer,
  metadata_hours integer,
  four_eyes      boolean NOT NULL DEFAULT true,
  second_factor  boolean NOT NULL DEFAULT false,
  idle_minutes   integer,
  updated_at     timestamptz NOT NULL DEFAULT now(),
  updated_by     text,
  CONSTRAINT tenant_settings_pkey PRIMARY KEY (tenant_id),
  CONSTRAINT tenant_settings_tenant_id_fkey FOREIGN KEY (tenant_id)
    REFERENCES organization (id) ON DELETE RESTRICT
);

ALTER TABLE tenant_settings
  ADD CONSTRAINT tenant_settings_positive
    CHECK (lease_ms > 0 AND replay_hours > 0 AND body_hours > 0 AND metadata_hours > 0),
  ADD CONSTRAINT tenant_settings_idle CHECK (idle_minutes BETWEEN 5 AND 1440),
  -- A body is useless after its replay window, and a key is kept at least as long as its response.
  ADD CONSTRAINT tenant_settings_order CHECK (body_hours <= replay_hours AND replay_hours <= metadata_hours);

CREATE TRIGGER tenant_settings_changed AFTER INSERT OR UPDATE OR DELETE ON tenant_settings
  FOR EACH ROW EXECUTE FUNCTION notify_topic('tenant_settings');

CREATE TABLE saved_view (
  id         uuid NOT NULL DEFAULT gen_random_uuid(),
  tenant_id  text NOT NULL,
  user_id    text NOT NULL,
  name       text NOT NULL,
  query      text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT saved_view_pkey PRIMARY KEY (id),
  CONSTRAINT saved_view_tenant_id_fkey FOREIGN KEY (tenant_id)
    REFERENCES organization (id) ON DELETE CASCADE,
  CONSTRAINT saved_view_user_id_fkey FOREIGN KEY (user_id)
    REFERENCES "user" (id) ON DELETE CASCADE
);
CREATE INDEX saved_view_user_id_idx
  ON saved_view (user_id);
CREATE UNIQUE INDEX saved_view_tenant_id_user_id_name_key
  ON saved_view (tenant_id, user_id, name);

ALTER TABLE saved_view
  ADD CONSTRAINT saved_view_name CHECK (name = btrim(name) AND length(name) BETWEEN 1 AND 60),
  ADD CONSTRAINT saved_view_query CHECK (length(query) <= 2000);

-- Workers, and the figures of the console.

CREATE TABLE worker_heartbeat (
  worker_id text NOT NULL,
  seen_at   timestamptz NOT NULL,
  CONSTRAINT worker_heartbeat_pkey PRIMARY KEY (worker_id)
);

CREATE TABLE metric_counter (
  name   text NOT NULL,
  labels text NOT NULL,
  value  double precision NOT NULL,
  CONSTRAINT metric_counter_pkey PRIMARY KEY (name, labels)
);

CREATE TABLE activity_bucket (
  tenant_id text NOT NULL,
  kind      text NOT NULL,
  le_ms     integer NOT NULL DEFAULT 0,
  bucket_at timestamptz(0) NOT NULL,
  count     integer NOT NULL,
  CONSTRAINT activity_bucket_pkey PRIMARY KEY (tenant_id, kind, bucket_at, le_ms)
);
CREATE INDEX activity_bucket_bucket_at_idx
  ON activity_bucket (bucket_at);

ALTER TABLE activity_bucket
  ADD CONSTRAINT activity_bucket_count CHECK (count > 0),
  ADD CONSTRAINT activity_bucket_step CHECK (extract(epoch FROM bucket_at)::bigint % 300 = 0),
  ADD CONSTRAINT activity_bucket_cell CHECK (le_ms >= 0);
