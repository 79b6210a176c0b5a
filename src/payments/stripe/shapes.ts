import { z } from 'zod';

/*
 * What we read of the provider's objects, as it has to be. The SDK's types say what Stripe sends, and nothing checks that it
 * came: a proxy, a broken release or a response to another request may be what arrives. What is not as described here is no
 * evidence.
 */

/** Ids and codes, in characters that every database stores. */
const name = z
  .string()
  .max(255)
  .regex(/^[\x21-\x7e]+$/);
/** For people only: one that cannot be stored is left out, and the rest counts. */
const note = name.nullish().catch(undefined);
const isStorable = (value: string) => value.isWellFormed() && !value.includes('\0');
/** Stripe's limit for a value. */
const metadata = z.record(z.string(), z.string().max(500).refine(isStorable)).nullish();
/** The bank's page. */
const address = z.string().max(8_000).refine(isStorable);

export const chargeShape = z.looseObject({
  id: name,
  status: note,
  captured: z.boolean().nullish().catch(undefined),
  failure_code: note,
  outcome: z.looseObject({ reason: note }).nullish(),
  payment_method_details: z
    .looseObject({ card: z.looseObject({ brand: note, last4: note }).nullish() })
    .nullish(),
});
export type ReadCharge = z.output<typeof chargeShape>;

const failedPayment = z.looseObject({ code: note, decline_code: note });

export const intentShape = z.looseObject({
  id: name,
  object: z.literal('payment_intent'),
  status: name,
  amount: z.int(),
  amount_received: z.int(),
  currency: name,
  created: z.unknown(),
  metadata,
  latest_charge: z.union([name, chargeShape]).nullish(),
  last_payment_error: failedPayment.nullish(),
  next_action: z
    .looseObject({ redirect_to_url: z.looseObject({ url: address.nullish() }).nullish() })
    .nullish(),
});
export type ReadIntent = z.output<typeof intentShape>;

export const refundShape = z.looseObject({
  id: name,
  object: z.literal('refund'),
  status: name.nullish(),
  amount: z.int(),
  currency: name,
  created: z.unknown().optional(),
  metadata,
  payment_intent: z.union([name, z.looseObject({ id: name })]).nullish(),
});
export type ReadRefund = z.output<typeof refundShape>;

/** A code of the provider's, to be logged and counted. */
export function codeOf(value: unknown): string | undefined {
  return name.safeParse(value).data;
}
