-- Nobody could ever accept one: there was no page for it. Those written from now on have a token.
DELETE FROM invitation;

-- DropForeignKey
ALTER TABLE "invitation" DROP CONSTRAINT "invitation_inviter_id_fkey";

-- AlterTable
ALTER TABLE "api_key" ADD COLUMN     "last_used_at" TIMESTAMPTZ(6);

-- AlterTable
ALTER TABLE "invitation" ADD COLUMN     "letters" INTEGER NOT NULL DEFAULT 1,
ADD COLUMN     "token_hash" TEXT NOT NULL,
ALTER COLUMN "role" SET NOT NULL,
ALTER COLUMN "status" SET DEFAULT 'pending',
ALTER COLUMN "inviter_id" DROP NOT NULL;

-- AlterTable
ALTER TABLE "user" ADD COLUMN     "two_factor_enabled" BOOLEAN DEFAULT false;

-- CreateTable
CREATE TABLE "two_factor" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "secret" TEXT NOT NULL,
    "backup_codes" TEXT NOT NULL,
    "verified" BOOLEAN DEFAULT true,
    "failed_verification_count" INTEGER DEFAULT 0,
    "locked_until" TIMESTAMPTZ(6),

    CONSTRAINT "two_factor_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sign_in_lock" (
    "subject" TEXT NOT NULL,
    "attempts" INTEGER NOT NULL,
    "attempted_at" TIMESTAMPTZ(6) NOT NULL,
    "locked_until" TIMESTAMPTZ(6),

    CONSTRAINT "sign_in_lock_pkey" PRIMARY KEY ("subject")
);

-- CreateIndex
CREATE UNIQUE INDEX "two_factor_user_id_key" ON "two_factor"("user_id");

-- CreateIndex
CREATE INDEX "sign_in_lock_attempted_at_idx" ON "sign_in_lock"("attempted_at");

-- CreateIndex
CREATE UNIQUE INDEX "invitation_token_hash_key" ON "invitation"("token_hash");

-- AddForeignKey
ALTER TABLE "two_factor" ADD CONSTRAINT "two_factor_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invitation" ADD CONSTRAINT "invitation_inviter_id_fkey" FOREIGN KEY ("inviter_id") REFERENCES "user"("id") ON DELETE SET NULL ON UPDATE CASCADE;

ALTER TABLE invitation
  ADD CONSTRAINT invitation_status CHECK (status IN ('pending', 'accepted', 'revoked', 'expired')),
  -- Addresses are compared as they are; so they are all written the same way.
  ADD CONSTRAINT invitation_email_lower CHECK (email = lower(email));

-- Two letters to one person could be accepted with two different roles.
CREATE UNIQUE INDEX invitation_one_pending ON invitation (organization_id, email) WHERE status = 'pending';

ALTER TABLE sign_in_lock ADD CONSTRAINT sign_in_lock_attempts CHECK (attempts > 0);

-- A shop that has an owner always keeps one. The tenant's row makes those who demote or remove at the same moment take
-- turns; the second then sees what the first has done. A shop that is deleted as a whole may take its owners along.
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
