import { z } from 'zod';

const KNOWN = new Set(Intl.supportedValuesOf('currency').map((code) => code.toLowerCase()));

/** An ISO 4217 code in lower case. Amounts are in minor units: cents for usd, whole yen for jpy. */
export const currency = z
  .string()
  .transform((code) => code.toLowerCase())
  .refine((code) => KNOWN.has(code), {
    error: (issue) =>
      `Invalid currency: ${String(issue.input)}. Use a three-letter ISO code such as usd, eur or jpy.`,
  });

/** As Stripe writes amounts in its error messages: "$25.00". */
export function displayMoney(amount: number, code: string): string {
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency: code });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  return format.format(amount / 10 ** digits);
}
