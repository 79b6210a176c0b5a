import type { z } from 'zod';
import { refuse, text } from '../http/parameters.ts';

// The currencies in which Stripe takes card payments.
const KNOWN = new Set(
  `usd aed afn all amd ang aoa ars aud awg azn bam bbd bdt bhd bif bmd bnd bob brl bsd bwp byn bzd cad cdf chf clp cny
   cop crc cve czk djf dkk dop dzd egp etb eur fjd fkp gbp gel gip gmd gnf gtq gyd hkd hnl htg huf idr ils inr isk jmd
   jod jpy kes kgs khr kmf krw kwd kyd kzt lak lbp lkr lrd lsl mad mdl mga mkd mmk mnt mop mur mvr mwk mxn myr mzn nad
   ngn nio nok npr nzd omr pab pen pgk php pkr pln pyg qar ron rsd rub rwf sar sbd scr sek sgd shp sle sos srd std szl
   thb tjs tnd top try ttd twd tzs uah ugx uyu uzs vnd vuv wst xaf xcd xcg xof xpf yer zar zmw`.split(/\s+/),
);

/** An ISO 4217 code in lower case. Amounts are in minor units: cents for usd, whole yen for jpy. */
export const currency = text.transform((code, ctx) => {
  const lower = code.toLowerCase();
  if (KNOWN.has(lower)) return lower;
  return refuse(ctx, {
    message: `Invalid currency: ${lower}. Stripe currently supports these currencies: ${[...KNOWN].join(', ')}`,
  });
});

// Stripe's limit is eight digits.
const MAX_AMOUNT = 99_999_999;

// The least that can be charged, for the currencies that Stripe names. For others Stripe converts, and the sandbox does not.
const MIN_AMOUNTS: Readonly<Record<string, number>> = {
  ...{
    usd: 50,
    aed: 200,
    aud: 50,
    brl: 50,
    cad: 50,
    chf: 50,
    czk: 1_500,
    dkk: 250,
    eur: 50,
    gbp: 30,
    hkd: 400,
  },
  ...{ huf: 17_500, inr: 50, jpy: 50, mxn: 1_000, myr: 200, nok: 300, nzd: 50, pln: 200, ron: 200, sek: 300 },
  ...{ sgd: 50, thb: 1_000 },
};

const THREE_DECIMALS = new Set(['bhd', 'jod', 'kwd', 'omr', 'tnd']);

/** What cannot be charged because of its amount. Refunds have no such limits. */
export function checkAmount(
  { amount, currency: code }: { amount: number; currency: string },
  ctx: z.RefinementCtx,
): void {
  const refuseAmount = (message: string, error?: string) =>
    ctx.addIssue({ code: 'custom', path: ['amount'], message, params: { code: error } });
  const min = MIN_AMOUNTS[code] ?? 1;
  if (amount > MAX_AMOUNT) {
    refuseAmount(`Amount must be no more than ${displayMoney(MAX_AMOUNT, code)}`, 'amount_too_large');
  } else if (amount < min) {
    refuseAmount(`Amount must be at least ${displayMoney(min, code)} ${code}`, 'amount_too_small');
  } else if (THREE_DECIMALS.has(code) && amount % 10 !== 0) {
    refuseAmount(`Invalid amount: ${code} has three decimals, and the last must be 0`);
  }
}

/** As Stripe writes amounts in its error messages: "$25.00". */
export function displayMoney(amount: number, code: string): string {
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency: code });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  return format.format(amount / 10 ** digits);
}
