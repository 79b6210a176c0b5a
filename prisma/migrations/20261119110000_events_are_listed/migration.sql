-- Up to when the provider's events were read from its list, which has those whose webhooks never arrived. While a listing is
-- under way, it ends at "until", and its next page comes after the event "after".
CREATE TABLE provider_event_list (
  provider     text NOT NULL,
  listed_until timestamptz NOT NULL DEFAULT clock_timestamp(),
  due_at       timestamptz NOT NULL,
  "until"      timestamptz,
  "after"      text,
  CONSTRAINT provider_event_list_pkey PRIMARY KEY (provider)
);

ALTER TABLE provider_event_list
  ADD CONSTRAINT provider_event_list_place CHECK ("until" IS NOT NULL OR "after" IS NULL);
