-- DropIndex
DROP INDEX "late_truth_tenant_id_status_idx";

-- CreateIndex
CREATE INDEX "late_truth_tenant_id_found_at_id_idx" ON "late_truth"("tenant_id", "found_at", "id");

-- CreateIndex
CREATE INDEX "late_truth_tenant_id_status_found_at_id_idx" ON "late_truth"("tenant_id", "status", "found_at", "id");
