import type { Claim, Examined, Reconciled, Refusal } from '#reconciliation/index.ts';
import type { House } from '#server/services.ts';
import { type Actor, recordDeed } from '../audit/write-audit-entry.ts';
import { needsFourEyes } from './four-eyes.ts';
import { type Role, reaches } from '../members/membership.ts';
import { openProposal } from './open-proposal.ts';

export type Person = Actor & { readonly role: Role };
export type Desk = Pick<House, 'db' | 'reconciler' | 'verdicts'>;

export interface Ask {
  readonly operationId: string;
  readonly claim: Claim;
  readonly reason: string;
  /** Of the evidence on the person's screen: one decides on what one sees. */
  readonly digest: string;
}

export type Resolution =
  /** The evidence carries it, or did when it was fenced. What was found is the truth, whatever was claimed. */
  | { readonly kind: 'reconciled'; readonly found: Reconciled }
  | { readonly kind: 'proposed'; readonly proposalId: string }
  | { readonly kind: 'already_proposed' }
  | { readonly kind: 'overruled' }
  | { readonly kind: 'evidence_changed' }
  | { readonly kind: 'refused'; readonly why: Refusal }
  | { readonly kind: 'takes_an_approver' }
  | { readonly kind: 'nothing_to_do'; readonly status: Examined['record']['status'] | 'missing' };

/**
 * A person says what became of an operation. The provider is asked first. What it proves goes through as the
 * reconciliation it is, with a reason attached; what it leaves open is proposed to a second person; what it denies, and
 * what could still charge, is refused.
 */
export async function resolveOperation(desk: Desk, person: Person, ask: Ask): Promise<Resolution> {
  const seen = await desk.verdicts.examine(ask.operationId);
  if (seen?.record.status !== 'unknown') {
    return { kind: 'nothing_to_do', status: seen?.record.status ?? 'missing' };
  }
  const standing = seen.standings.find(({ claim }) => claim === ask.claim)?.standing;
  if (!standing) return { kind: 'refused', why: 'not_of_this_kind' };
  if (seen.digest !== ask.digest) return { kind: 'evidence_changed' };
  switch (standing.kind) {
    case 'refused':
      return standing;
    case 'proven':
      return rule(desk, person, ask, false);
    case 'fence':
      return rule(desk, person, ask, true);
    case 'override':
      if (await needsFourEyes(desk.db, person.tenantId)) return openProposal(desk.db, person, ask, seen);
      if (!reaches(person.role, 'approver')) return { kind: 'takes_an_approver' };
      return overrule(desk, person, ask, seen);
  }
}

/** The ordinary pipeline. If a cancel comes too late, what the intent has become is written, and the person is told. */
async function rule(
  { db, reconciler }: Desk,
  person: Person,
  ask: Ask,
  withdraw: boolean,
): Promise<Resolution> {
  const said = { verdict: ask.claim, reason: ask.reason };
  const deed = (found: Reconciled) => ({
    action: 'operation.verdict',
    subject: { type: 'operation', id: ask.operationId },
    reason: ask.reason,
    details: { verdict: ask.claim, found: { ...found } },
  });
  const found = await reconciler.reconcile(ask.operationId, actorOf(person), {
    withdraw,
    evidence: said,
    writes: (tx, told) => recordDeed(tx, person, deed(told)),
  });
  // What changed nothing has no transaction of its own; that it was tried is still worth knowing.
  if (found.kind === 'still_unknown' || found.kind === 'nothing_to_do') {
    await recordDeed(db, person, deed(found));
  }
  return { kind: 'reconciled', found };
}

/** Where the tenant has switched four eyes off. Still with reason, evidence, and an entry in the log. */
async function overrule({ verdicts }: Desk, person: Person, ask: Ask, seen: Examined): Promise<Resolution> {
  const result = await verdicts.overrule(ask.operationId, actorOf(person), {
    claim: ask.claim,
    digest: ask.digest,
    evidence: { reason: ask.reason, fourEyes: false },
    writes: async (tx) => {
      // One may be left from when two people were needed.
      await tx.$executeRaw`
        UPDATE verdict_proposal SET status = 'void', decided_at = clock_timestamp(), decided_by_id = ${person.userId},
          decided_by_email = ${person.email}, note = 'Decided without it.'
        WHERE operation_id = ${ask.operationId}::uuid AND status = 'open'`;
      await recordDeed(tx, person, {
        action: 'operation.override',
        subject: { type: 'operation', id: ask.operationId },
        reason: ask.reason,
        details: { verdict: ask.claim, evidence: { ...seen.sighting }, fourEyes: false },
      });
    },
  });
  switch (result.kind) {
    case 'settled':
      return { kind: 'overruled' };
    case 'nothing_to_do':
      return result;
    case 'drifted':
    case 'not_open':
      return { kind: 'evidence_changed' };
  }
}

export function actorOf(person: Actor): string {
  return `operator:${person.userId}`;
}
