import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import { listAssignees } from '#console/assignments/assignments.ts';
import { isAtLeast } from '#console/members/membership.ts';
import { countOperations } from '#console/operations-list/count-operations.ts';
import {
  listCurrencies,
  listErrorCodes,
  listOperations,
  readOperations,
} from '#console/operations-list/list-operations.ts';
import {
  filterStatuses,
  maxSpanMinutes,
  minKeyPrefixLength,
  outcomes,
  readFilter,
  sorts,
  withImpliedStatus,
} from '#console/operations-list/operation-filter.ts';
import { readQueue } from '#console/operations-list/operators-queue.ts';
import { filterFor, shopsOf } from '#console/operations-list/shops-of.ts';
import { readPageCursors } from '#console/paging/keyset-page.ts';
import { reconcileOneOfMany } from '#console/resolution/reconcile-operation.ts';
import { currencyCodes } from '#payments/money.ts';
import { operationNames } from '#payments/operations/copy.ts';
import { readCircuit } from '#reconciliation/index.ts';
import { mayStillRead, untilNotAllowed } from '#server/live/still-allowed.ts';
import { stopping } from '#server/stopping.ts';
import { countOneOfMany } from '../ask-provider.ts';
import { lacks, memberProcedure, operatorProcedure, router } from '../init.ts';
import { dayInput, pageInput } from '../page-input.ts';

const text = z.string().min(1).max(300);
const minutes = z.int().positive().max(maxSpanMinutes);
const amount = z.int().nonnegative();

const filter = z
  .object({
    status: z.enum(filterStatuses).optional(),
    kind: z.enum(operationNames).optional(),
    outcome: z.enum(outcomes).optional(),
    olderThanMinutes: minutes.optional(),
    youngerThanMinutes: minutes.optional(),
    currency: z.enum(currencyCodes).optional(),
    minMinor: amount.optional(),
    maxMinor: amount.optional(),
    ...dayInput,
    errorCode: text.optional(),
    reference: text.optional(),
    key: text.min(minKeyPrefixLength).optional(),
    search: text.optional(),
    escalated: z.literal(true).optional(),
    due: z.literal(true).optional(),
    misused: z.union([z.literal('ever'), minutes]).optional(),
    becameUnknownWithinMinutes: minutes.optional(),
    resolvedWithinMinutes: minutes.optional(),
    shop: text.optional(),
    sort: z.enum(sorts).default('newest'),
  })
  .transform(withImpliedStatus);

const page = pageInput.extend({ filter: filter.default(readFilter({})) });

/** The list of operations and what surrounds it. */
export const operationsRouter = router({
  list: memberProcedure.input(page).query(({ ctx, input }) => {
    const shops = shopsOf(ctx.member, input.filter.shop);
    const filter = filterFor(shops, input.filter);
    return listOperations(ctx.services.db, {
      ...input,
      filter,
      tenantIds: idsOf(shops),
      ...readPageCursors(input),
    });
  }),

  counts: memberProcedure
    .input(z.object({ shop: text.optional() }))
    .query(({ ctx, input }) => countOperations(ctx.services.db, idsOf(shopsOf(ctx.member, input.shop)))),

  /** What the automatic checks could not find out, longest waiting first. */
  queue: memberProcedure
    .input(z.object({ snoozed: z.boolean().default(false) }).default({ snoozed: false }))
    .query(({ ctx, input }) => readQueue(ctx.services.db, ctx.member.tenantId, input.snoozed)),

  /** Members who can be assigned to an operation. */
  assignees: memberProcedure.query(({ ctx }) => listAssignees(ctx.services.db, ctx.member.tenantId)),

  /** The choices of the filters. */
  choices: memberProcedure.input(z.object({ shop: text.optional() })).query(async ({ ctx, input }) => {
    const { db } = ctx.services;
    const tenantIds = idsOf(shopsOf(ctx.member, input.shop));
    const [currencies, errorCodes] = await Promise.all([
      listCurrencies(db, tenantIds),
      listErrorCodes(db, tenantIds),
    ]);
    return {
      currencies,
      errorCodes,
      shops: ctx.member.shops.map(({ tenantSlug: slug, tenantName: name }) => ({ slug, name })),
    };
  }),

  /** The same page again, together with the rows that are on the screen, so that the list can mark new ones. */
  compare: memberProcedure
    .input(page.extend({ ids: z.array(z.uuid()).max(200) }))
    .query(async ({ ctx, input }) => {
      const { db } = ctx.services;
      const shops = shopsOf(ctx.member, input.filter.shop);
      const filter = filterFor(shops, input.filter);
      const tenantIds = idsOf(shops);
      const [now, shown] = await Promise.all([
        listOperations(db, { ...input, filter, tenantIds, ...readPageCursors(input) }),
        readOperations(db, tenantIds, input.ids),
      ]);
      return { page: now.operations.map(({ id }) => id), shown };
    }),

  /** Ids of operations that changed, in batches of a second. An empty batch: changes may have been missed, so reload. */
  changes: memberProcedure.input(z.object({ shop: text.optional() })).subscription(async function* ({
    ctx,
    input,
    signal,
  }) {
    const { changes, listener } = ctx.services;
    const tenantIds = idsOf(shopsOf(ctx.member, input.shop));
    const { userId } = ctx.member;
    const allowed = untilNotAllowed(listener, { userId, tenantIds }, () => mayStillRead(ctx, tenantIds));
    const ends = [allowed.signal, stopping(), ...(signal ? [signal] : [])];
    try {
      yield* changes.watch(tenantIds, AbortSignal.any(ends));
      // A process that stops would wait for open consoles. An error ends the stream and lets the page open it again.
      if (!signal?.aborted) stopping().throwIfAborted();
    } finally {
      allowed.close();
    }
  }),

  /** One of many that a person asked about at once; they share a bulk id in the audit log. */
  reconcileOneOfMany: operatorProcedure
    .input(z.object({ operationId: z.uuid(), bulkId: z.uuid() }))
    .mutation(async ({ ctx, input }) => {
      const { db } = ctx.services;
      const { member } = ctx;
      const [found] = await readOperations(db, idsOf(member.shops), [input.operationId]);
      const shop = member.shops.find(({ tenantId }) => tenantId === found?.tenantId);
      if (!shop) throw new TRPCError({ code: 'NOT_FOUND', message: 'There is no such operation.' });
      if (!isAtLeast(shop.role, 'operator')) throw lacks('operator');
      await countOneOfMany(ctx.services, shop.tenantId);
      const { userId, email, needs } = member;
      const actor = { tenantId: shop.tenantId, userId, email, needs };
      return reconcileOneOfMany(ctx.services, actor, input.operationId, input.bulkId);
    }),

  /** Whether the provider is being asked at the moment, or given time to recover. */
  provider: memberProcedure.query(({ ctx }) => readCircuit(ctx.services.db, ctx.services.settings.provider)),
});

function idsOf(shops: readonly { readonly tenantId: string }[]): string[] {
  return shops.map(({ tenantId }) => tenantId);
}
