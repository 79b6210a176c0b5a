import { sqlState } from '#idempotency/stores/prisma.ts';
import type { Prisma, PrismaClient } from '#prisma';
import type { Examined } from '#reconciliation/index.ts';
import { type Actor, recordDeed } from '../audit/write-audit-entry.ts';
import type { Ask, Resolution } from './resolve.ts';

/**
 * Puts a verdict before a second person, with the evidence as it was seen. The record is held while the proposal is
 * written, so that whoever settles it a moment later finds the proposal and voids it.
 */
export async function openProposal(
  db: PrismaClient,
  proposer: Actor,
  ask: Ask,
  seen: Examined,
): Promise<Resolution> {
  const { tenantId } = proposer;
  try {
    return await db.$transaction(async (tx) => {
      const [held] = await tx.$queryRaw<{ id: string }[]>`
        SELECT id FROM idempotency_record
        WHERE id = ${ask.operationId}::uuid AND tenant_id = ${tenantId} AND status = 'unknown' FOR SHARE`;
      if (!held) {
        const now = await tx.idempotencyRecord.findFirst({ where: { id: ask.operationId, tenantId } });
        return { kind: 'nothing_to_do', status: (now?.status ?? 'missing') as 'missing' };
      }
      const { id } = await tx.verdictProposal.create({
        data: {
          tenantId,
          operationId: ask.operationId,
          verdict: ask.claim,
          reason: ask.reason,
          evidence: { ...seen.sighting } as Prisma.InputJsonObject,
          evidenceDigest: seen.digest,
          proposerId: proposer.userId,
          proposerEmail: proposer.email,
        },
        select: { id: true },
      });
      await recordDeed(tx, proposer, {
        action: 'proposal.open',
        subject: { type: 'operation', id: ask.operationId },
        reason: ask.reason,
        details: {
          proposal: id,
          verdict: ask.claim,
          evidence: { ...seen.sighting } as Prisma.InputJsonObject,
        },
      });
      return { kind: 'proposed', proposalId: id };
    });
  } catch (error) {
    // The partial unique index: one open proposal per operation.
    if (isTaken(error)) return { kind: 'already_proposed' };
    throw error;
  }
}

function isTaken(error: unknown): boolean {
  return sqlState(error) === '23505' || (error as { code?: unknown }).code === 'P2002';
}
