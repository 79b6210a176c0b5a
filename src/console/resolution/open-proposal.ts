import { sqlState } from '#idempotency/stores/prisma.ts';
import type { Prisma, PrismaClient } from '#prisma';
import type { Examined } from '#reconciliation/index.ts';
import { type Actor, writeAuditEntry } from '../audit/write-audit-entry.ts';
import { readStatus } from '../operation-status.ts';
import type { AssertionRequest, AssertionResult } from './resolve.ts';

/**
 * Opens a proposal for a second operator, with the evidence that the first one decided on. The record is locked meanwhile,
 * so that a transition that resolves the operation right afterwards finds the proposal and voids it.
 */
export async function openProposal(
  db: PrismaClient,
  proposer: Actor,
  request: AssertionRequest,
  examined: Examined,
): Promise<AssertionResult> {
  const { tenantId } = proposer;
  const { operationId, assertion, reason } = request;
  const evidence = { ...examined.snapshot } as Prisma.InputJsonObject;
  try {
    return await db.$transaction(async (tx) => {
      const [locked] = await tx.$queryRaw<{ id: string }[]>`
        SELECT id FROM operation
        WHERE tenant_id = ${tenantId} AND id = ${operationId}::uuid AND status = 'unknown' FOR SHARE`;
      if (!locked) {
        const status = await readStatus(tx, { tenantId, id: operationId });
        return { kind: 'nothing_to_do', status: status ?? 'missing' };
      }
      const { id } = await tx.resolutionProposal.create({
        data: {
          tenantId,
          operationId,
          assertion,
          reason,
          evidence,
          evidenceDigest: examined.digest,
          proposerId: proposer.userId,
          proposerEmail: proposer.email,
        },
        select: { id: true },
      });
      await writeAuditEntry(tx, proposer, {
        action: 'proposal.open',
        subject: { type: 'operation', id: operationId },
        reason,
        details: { proposal: id, assertion, evidence },
      });
      return { kind: 'proposed', proposalId: id };
    });
  } catch (error) {
    // The partial unique index allows one open proposal per operation.
    if (isTaken(error)) return { kind: 'already_proposed' };
    throw error;
  }
}

function isTaken(error: unknown): boolean {
  return sqlState(error) === '23505' || (error as { code?: unknown }).code === 'P2002';
}
