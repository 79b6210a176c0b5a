import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import {
  addWebhookEndpoint,
  changeWebhookEndpoint,
  type EndpointParts,
  removeWebhookEndpoint,
  rotateWebhookSecret,
  switchWebhookEndpoint,
  testWebhookEndpoint,
} from '#console/settings/webhook-endpoints.ts';
import {
  findDelivery,
  listEndpoints,
  maxEndpoints,
  paymentEventTypes,
  type UrlProblem,
} from '#payments/outbox/console.ts';
import type { Services } from '#server/services.ts';
import { webhookAddresses } from '#server/webhook-addresses.ts';
import { confirmedOwnerProcedure, memberProcedure, operatorProcedure, router } from '../init.ts';

const byId = z.object({ id: z.uuid() });
const choice = z.object({
  url: z.url('Enter an address such as https://shop.example/hooks.').max(2_000),
  description: z.string().trim().max(200).default(''),
  /** Null: all, also those to come. */
  eventTypes: z
    .array(z.enum(paymentEventTypes))
    .min(1, 'Choose at least one event.')
    .transform((types) => [...new Set(types)])
    .nullable(),
});
/** The endpoint as `list` has it. Its address is stored in its normal form, which may be longer than what was entered. */
const seen = z.object({
  url: z.string().max(20_000),
  description: z.string().max(200),
  eventTypes: z.array(z.enum(paymentEventTypes)).max(paymentEventTypes.length),
});

/**
 * Where the shop's server receives webhooks. All members see the endpoints; owners change them, after proving who they are,
 * because an endpoint would outlast a stolen session and gets every payment of the shop.
 */
export const webhookEndpointsRouter = router({
  list: memberProcedure.query(async ({ ctx }) => ({
    endpoints: await listEndpoints(ctx.services.db, ctx.member.tenantId),
    eventTypes: paymentEventTypes,
    max: maxEndpoints,
  })),

  /** Only this response contains the secret. */
  add: confirmedOwnerProcedure.input(choice).mutation(async ({ ctx, input }) => {
    const wanted = { ...input, eventTypes: input.eventTypes ?? [] };
    const result = await addWebhookEndpoint(partsOf(ctx.services), ctx.member, wanted);
    switch (result.kind) {
      case 'added':
        return { id: result.id, url: result.url, secret: result.secret };
      case 'too_many':
        throw new TRPCError({
          code: 'CONFLICT',
          message: `A shop has at most ${maxEndpoints} endpoints. Remove one first.`,
        });
      default:
        throw urlError(result);
    }
  }),

  /** `seen`: what the page showed when the owner began to edit. */
  change: confirmedOwnerProcedure
    .input(byId.extend({ ...choice.shape, seen: seen.optional() }))
    .mutation(async ({ ctx, input }) => {
      const { id, ...rest } = input;
      const wanted = { ...rest, eventTypes: rest.eventTypes ?? [] };
      const result = await changeWebhookEndpoint(partsOf(ctx.services), ctx.member, id, wanted);
      switch (result.kind) {
        case 'changed':
          return;
        case 'not_found':
          throw noSuchEndpoint();
        case 'outdated':
          throw new TRPCError({
            code: 'CONFLICT',
            message:
              'Another owner changed this endpoint after you began to edit it. Nothing was saved: cancel, and begin again.',
          });
        default:
          throw urlError(result);
      }
    }),

  /** What waits for an endpoint that is disabled is not sent. */
  enable: confirmedOwnerProcedure
    .input(byId.extend({ enabled: z.boolean() }))
    .mutation(async ({ ctx, input }) => {
      const parts = partsOf(ctx.services);
      if (await switchWebhookEndpoint(parts, ctx.member, input.id, input.enabled)) return;
      const message = `There is no endpoint to ${input.enabled ? 'enable' : 'disable'} here.`;
      throw new TRPCError({ code: 'NOT_FOUND', message });
    }),

  remove: confirmedOwnerProcedure.input(byId).mutation(async ({ ctx, input }) => {
    if (!(await removeWebhookEndpoint(partsOf(ctx.services), ctx.member, input.id))) throw noSuchEndpoint();
  }),

  /** Only this response contains the new secret. */
  rotateSecret: confirmedOwnerProcedure.input(byId).mutation(async ({ ctx, input }) => {
    const rotated = await rotateWebhookSecret(partsOf(ctx.services), ctx.member, input.id);
    if (!rotated) throw noSuchEndpoint();
    return rotated;
  }),

  /** The worker sends it; `delivery` says how it went. */
  sendTest: operatorProcedure.input(byId).mutation(async ({ ctx, input }) => {
    const deliveryId = await testWebhookEndpoint(partsOf(ctx.services), ctx.member, input.id);
    if (deliveryId) return { deliveryId };
    throw new TRPCError({ code: 'NOT_FOUND', message: 'There is no enabled endpoint to test here.' });
  }),

  delivery: memberProcedure.input(byId).query(async ({ ctx, input }) => {
    const found = await findDelivery(ctx.services.db, ctx.member.tenantId, input.id);
    if (found) return found;
    throw new TRPCError({ code: 'NOT_FOUND', message: 'There is no such delivery.' });
  }),
});

function partsOf({ db, cipher, settings }: Pick<Services, 'db' | 'cipher' | 'settings'>): EndpointParts {
  return { db, cipher, rule: webhookAddresses(settings) };
}

/** The same error for another tenant's endpoint as for one that does not exist. */
function noSuchEndpoint(): TRPCError {
  return new TRPCError({ code: 'NOT_FOUND', message: 'There is no such endpoint.' });
}

function urlError({ kind }: UrlProblem): TRPCError {
  return kind === 'url_taken'
    ? new TRPCError({ code: 'CONFLICT', message: 'There is already an endpoint at this address.' })
    : new TRPCError({
        code: 'BAD_REQUEST',
        message: 'The address must be a public one that starts with https://.',
      });
}
