-- Tenants (better-auth calls them organizations), their members, and how people and programs sign in.

CREATE TABLE organization (
  id            text NOT NULL,
  name          text NOT NULL,
  slug          text NOT NULL,
  logo          text,
  metadata      text,
  contact_email text,
  created_at    timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT organization_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX organization_slug_key
  ON organization (slug);

CREATE TABLE "user" (
  id                 text NOT NULL,
  name               text NOT NULL,
  email              text NOT NULL,
  email_verified     boolean NOT NULL DEFAULT false,
  image              text,
  two_factor_enabled boolean DEFAULT false,
  created_at         timestamptz NOT NULL DEFAULT now(),
  updated_at         timestamptz NOT NULL,
  CONSTRAINT user_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX user_email_key
  ON "user" (email);

CREATE TABLE member (
  id              text NOT NULL,
  organization_id text NOT NULL,
  user_id         text NOT NULL,
  role            text NOT NULL,
  joined_by       text NOT NULL DEFAULT 'administrator',
  approves_from   timestamptz,
  created_at      timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT member_pkey PRIMARY KEY (id),
  CONSTRAINT member_organization_id_fkey FOREIGN KEY (organization_id)
    REFERENCES organization (id) ON DELETE CASCADE,
  CONSTRAINT member_user_id_fkey FOREIGN KEY (user_id)
    REFERENCES "user" (id) ON DELETE CASCADE
);
CREATE INDEX member_user_id_idx
  ON member (user_id);
CREATE UNIQUE INDEX member_organization_id_user_id_key
  ON member (organization_id, user_id);

ALTER TABLE member
  ADD CONSTRAINT member_role CHECK (role IN ('viewer', 'operator', 'approver', 'owner')),
  ADD CONSTRAINT member_joined_by CHECK (joined_by IN ('administrator', 'mailed_link', 'shown_link'));

-- An owner could invite a second mailbox of their own, or raise a role, and approve their own proposal as that person. So
-- approving begins a day after a person was invited as an approver or became one: long enough for the others to see it in
-- the audit log. Members whom the administrator of the installation appointed may approve at once.
CREATE FUNCTION member_approves_from() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND OLD.role IN ('approver', 'owner') THEN
    NEW.approves_from := OLD.approves_from;
  ELSIF TG_OP = 'UPDATE' OR NEW.joined_by <> 'administrator' THEN
    NEW.approves_from := clock_timestamp() + interval '24 hours';
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER member_approves_from BEFORE INSERT OR UPDATE OF role ON member
  FOR EACH ROW WHEN (NEW.role IN ('approver', 'owner')) EXECUTE FUNCTION member_approves_from();

-- A tenant that has an owner always keeps one. Locking the tenant's row makes concurrent demotions and removals take
-- turns, so the second sees what the first has done. Deleting the whole tenant may delete its owners.
CREATE FUNCTION member_keep_an_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.role = 'owner' AND NEW.organization_id = OLD.organization_id THEN
    RETURN NULL;
  END IF;
  PERFORM FROM organization WHERE id = OLD.organization_id FOR NO KEY UPDATE;
  IF FOUND AND NOT EXISTS (
    SELECT FROM member WHERE organization_id = OLD.organization_id AND role = 'owner')
  THEN
    RAISE EXCEPTION 'organization %: the last owner stays', OLD.organization_id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'member_keep_an_owner';
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER member_keep_an_owner AFTER UPDATE OR DELETE ON member
  FOR EACH ROW WHEN (OLD.role = 'owner') EXECUTE FUNCTION member_keep_an_owner();

CREATE TABLE invitation (
  id              text NOT NULL,
  organization_id text NOT NULL,
  email           text NOT NULL,
  role            text NOT NULL,
  status          text NOT NULL DEFAULT 'pending',
  token_hash      text NOT NULL,
  emails_sent     integer NOT NULL DEFAULT 1,
  delivery        text NOT NULL,
  expires_at      timestamptz NOT NULL,
  created_at      timestamptz NOT NULL DEFAULT now(),
  inviter_id      text,
  CONSTRAINT invitation_pkey PRIMARY KEY (id),
  CONSTRAINT invitation_organization_id_fkey FOREIGN KEY (organization_id)
    REFERENCES organization (id) ON DELETE CASCADE,
  CONSTRAINT invitation_inviter_id_fkey FOREIGN KEY (inviter_id)
    REFERENCES "user" (id) ON DELETE SET NULL
);
CREATE UNIQUE INDEX invitation_token_hash_key
  ON invitation (token_hash);
CREATE INDEX invitation_organization_id_idx
  ON invitation (organization_id);

ALTER TABLE invitation
  ADD CONSTRAINT invitation_role CHECK (role IN ('viewer', 'operator', 'approver', 'owner')),
  ADD CONSTRAINT invitation_status CHECK (status IN ('pending', 'accepted', 'revoked', 'expired')),
  ADD CONSTRAINT invitation_delivery CHECK (delivery IN ('mailed', 'shown')),
  -- Addresses are compared byte by byte, so they are all stored in lower case.
  ADD CONSTRAINT invitation_email_lower CHECK (email = lower(email));

-- Two pending invitations of one person could be accepted with two different roles.
CREATE UNIQUE INDEX invitation_one_pending ON invitation (organization_id, email) WHERE status = 'pending';

CREATE TABLE session (
  id                     text NOT NULL,
  expires_at             timestamptz NOT NULL,
  token                  text NOT NULL,
  created_at             timestamptz NOT NULL DEFAULT now(),
  updated_at             timestamptz NOT NULL,
  ip_address             text,
  user_agent             text,
  active_organization_id text,
  user_id                text NOT NULL,
  active_at              timestamptz NOT NULL DEFAULT now(),
  confirmed_at           timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT session_pkey PRIMARY KEY (id),
  CONSTRAINT session_user_id_fkey FOREIGN KEY (user_id)
    REFERENCES "user" (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX session_token_key
  ON session (token);
CREATE INDEX session_user_id_idx
  ON session (user_id);

CREATE TABLE account (
  id                       text NOT NULL,
  account_id               text NOT NULL,
  provider_id              text NOT NULL,
  user_id                  text NOT NULL,
  access_token             text,
  refresh_token            text,
  id_token                 text,
  access_token_expires_at  timestamptz,
  refresh_token_expires_at timestamptz,
  scope                    text,
  password                 text,
  created_at               timestamptz NOT NULL DEFAULT now(),
  updated_at               timestamptz NOT NULL,
  CONSTRAINT account_pkey PRIMARY KEY (id),
  CONSTRAINT account_user_id_fkey FOREIGN KEY (user_id)
    REFERENCES "user" (id) ON DELETE CASCADE
);
CREATE INDEX account_user_id_idx
  ON account (user_id);

CREATE TABLE verification (
  id         text NOT NULL,
  identifier text NOT NULL,
  value      text NOT NULL,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL,
  CONSTRAINT verification_pkey PRIMARY KEY (id)
);
CREATE INDEX verification_identifier_idx
  ON verification (identifier);

CREATE TABLE two_factor (
  id                        text NOT NULL,
  user_id                   text NOT NULL,
  secret                    text NOT NULL,
  backup_codes              text NOT NULL,
  verified                  boolean DEFAULT true,
  failed_verification_count integer DEFAULT 0,
  locked_until              timestamptz,
  CONSTRAINT two_factor_pkey PRIMARY KEY (id),
  CONSTRAINT two_factor_user_id_fkey FOREIGN KEY (user_id)
    REFERENCES "user" (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX two_factor_user_id_key
  ON two_factor (user_id);

CREATE TABLE used_code (
  subject text NOT NULL,
  used_at timestamptz NOT NULL,
  CONSTRAINT used_code_pkey PRIMARY KEY (subject)
);
CREATE INDEX used_code_used_at_idx
  ON used_code (used_at);

CREATE TABLE sign_in_lock (
  subject      text NOT NULL,
  attempts     integer NOT NULL,
  attempted_at timestamptz NOT NULL,
  locked_until timestamptz,
  CONSTRAINT sign_in_lock_pkey PRIMARY KEY (subject)
);
CREATE INDEX sign_in_lock_attempted_at_idx
  ON sign_in_lock (attempted_at);

ALTER TABLE sign_in_lock ADD CONSTRAINT sign_in_lock_attempts CHECK (attempts > 0);

CREATE TABLE known_device (
  user_id     text NOT NULL,
  device_hash text NOT NULL,
  seen_at     timestamptz NOT NULL,
  CONSTRAINT known_device_pkey PRIMARY KEY (user_id, device_hash),
  CONSTRAINT known_device_user_id_fkey FOREIGN KEY (user_id)
    REFERENCES "user" (id) ON DELETE CASCADE
);

CREATE TABLE rate_limit (
  id           text NOT NULL,
  key          text NOT NULL,
  count        integer NOT NULL,
  last_request bigint NOT NULL,
  CONSTRAINT rate_limit_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX rate_limit_key_key
  ON rate_limit (key);

CREATE TABLE api_key (
  id           uuid NOT NULL DEFAULT gen_random_uuid(),
  tenant_id    text NOT NULL,
  name         text NOT NULL,
  prefix       text NOT NULL,
  hash         text NOT NULL,
  scopes       text[] NOT NULL DEFAULT ARRAY['read', 'pay', 'refund'],
  created_at   timestamptz NOT NULL DEFAULT now(),
  expires_at   timestamptz,
  last_used_at timestamptz,
  revoked_at   timestamptz,
  CONSTRAINT api_key_pkey PRIMARY KEY (id),
  CONSTRAINT api_key_tenant_id_fkey FOREIGN KEY (tenant_id)
    REFERENCES organization (id) ON DELETE RESTRICT
);
CREATE UNIQUE INDEX api_key_hash_key
  ON api_key (hash);
CREATE INDEX api_key_tenant_id_idx
  ON api_key (tenant_id);

ALTER TABLE api_key
  ADD CONSTRAINT api_key_scopes CHECK (cardinality(scopes) > 0 AND scopes <@ ARRAY['read', 'pay', 'refund']);

-- Processes keep API keys and the settings of tenants in memory for a few seconds. The commit that changes one notifies all
-- of them, also when it was made by hand. The argument is the topic.
CREATE FUNCTION notify_topic() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('paidonce_operation', TG_ARGV[0]);
  RETURN NULL;
END $$;

CREATE TRIGGER api_key_changed AFTER UPDATE ON api_key
  FOR EACH ROW WHEN (
    (OLD.revoked_at, OLD.expires_at, OLD.scopes) IS DISTINCT FROM (NEW.revoked_at, NEW.expires_at, NEW.scopes)
  ) EXECUTE FUNCTION notify_topic('api_key');
CREATE TRIGGER api_key_deleted AFTER DELETE ON api_key
  FOR EACH ROW EXECUTE FUNCTION notify_topic('api_key');
