-- AlterTable
ALTER TABLE "refund" ADD COLUMN     "generation" INTEGER NOT NULL DEFAULT 1;
