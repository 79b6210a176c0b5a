-- What a person has open, such as the stream of changes, ends with their session or membership. The commit that ends one
-- notifies all processes, also when it was made by hand.
CREATE FUNCTION notify_access() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('paidonce_operation', 'access:' || OLD.user_id);
  RETURN NULL;
END $$;

CREATE TRIGGER member_access AFTER UPDATE OR DELETE ON member
  FOR EACH ROW EXECUTE FUNCTION notify_access();
CREATE TRIGGER session_access AFTER DELETE ON session
  FOR EACH ROW EXECUTE FUNCTION notify_access();
