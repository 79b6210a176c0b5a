-- AlterTable
ALTER TABLE "payment" ADD COLUMN     "card_brand" TEXT,
ADD COLUMN     "card_last4" TEXT;
