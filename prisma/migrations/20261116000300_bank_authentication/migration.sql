-- AlterTable
ALTER TABLE "payment" ADD COLUMN     "next_action_url" TEXT;

-- AlterTable
ALTER TABLE "shop_order" ADD COLUMN     "cancelled_at" TIMESTAMPTZ(6);

-- Where the shopper's bank wants to see them, while it does.
ALTER TABLE payment ADD CONSTRAINT payment_next_action CHECK (next_action_url IS NULL OR status = 'pending');
