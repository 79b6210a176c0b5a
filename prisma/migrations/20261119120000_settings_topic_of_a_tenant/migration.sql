-- The topic of all tenants had every process read all of their settings again when one changed any of its own, and every stream
-- of the console ask whether its reader may go on. Now the topic has the tenant. The former topic is notified as well, for
-- processes of the version before, which go on while this is applied.
CREATE FUNCTION notify_settings() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('paidonce_operation', 'tenant_settings:' || coalesce(NEW.tenant_id, OLD.tenant_id));
  PERFORM pg_notify('paidonce_operation', 'tenant_settings');
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER tenant_settings_changed AFTER INSERT OR UPDATE OR DELETE ON tenant_settings
  FOR EACH ROW EXECUTE FUNCTION notify_settings();
