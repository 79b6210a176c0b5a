import { z } from 'zod';
import { type ApiError, invalidRequest } from './api-error.ts';
import type { FormObject } from './form.ts';

/*
 * Parameters arrive as text. These schemas turn them into values, or into the error that Stripe returns. Objects are
 * strict: a parameter that the sandbox does not know is refused, so that no caller relies on one that has no effect.
 */

function invalid(ctx: z.RefinementCtx, message: string, code?: string): never {
  ctx.addIssue({ code: 'custom', message, params: { code } });
  return z.NEVER;
}

export function integer(min: number, max: number) {
  return z.string().transform((text, ctx) => {
    if (!/^-?\d{1,15}$/.test(text))
      return invalid(ctx, `Invalid integer: ${text}`, 'parameter_invalid_integer');
    const value = Number(text);
    if (value < min) {
      return invalid(ctx, `This value must be greater than or equal to ${min}.`, 'parameter_invalid_integer');
    }
    if (value > max)
      return invalid(ctx, `This value must be less than or equal to ${max}.`, 'parameter_invalid_integer');
    return value;
  });
}

export const boolean = z.string().transform((text, ctx) => {
  if (text === 'true' || text === 'false') return text === 'true';
  return invalid(ctx, `Invalid boolean: ${text}`);
});

export const text = z
  .string()
  .min(1, 'You passed an empty string. We assume empty values are an attempt to unset.');

export function list<T extends z.ZodType>(item: T) {
  return z.preprocess(
    (value) => (typeof value === 'object' && value !== null ? Object.values(value) : value),
    z.array(item),
  );
}

/** Fifty keys of forty characters with values of five hundred: Stripe's limits. An empty value unsets its key. */
export const metadata = z
  .record(z.string().max(40), z.string().max(500))
  .refine((value) => Object.keys(value).length <= 50, 'Metadata can have at most 50 keys.')
  .transform((value) => Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== '')));

export const expand = list(z.string()).optional();

export const noParameters = z.strictObject({ expand });

export function readParameters<S extends z.ZodType>(schema: S, form: FormObject): z.output<S> {
  const parsed = schema.safeParse(form);
  if (parsed.success) return parsed.data;
  throw toApiError(parsed.error.issues[0]);
}

function toApiError(issue: z.core.$ZodIssue | undefined): ApiError {
  if (issue === undefined) return invalidRequest('Invalid request.');
  const param = bracketed(issue.path);
  if (issue.code === 'unrecognized_keys') {
    const unknown = bracketed([...issue.path, issue.keys[0] ?? '']);
    return invalidRequest(`Received unknown parameter: ${unknown}`, {
      code: 'parameter_unknown',
      param: unknown,
    });
  }
  if (issue.code === 'invalid_type' && issue.input === undefined) {
    return invalidRequest(`Missing required param: ${param}.`, { code: 'parameter_missing', param });
  }
  if (issue.code === 'invalid_value') {
    return invalidRequest(`Invalid ${param}: must be one of ${issue.values.join(', ')}`, { param });
  }
  const code = issue.code === 'custom' ? issue.params?.code : undefined;
  return invalidRequest(issue.message, { param, ...(typeof code === 'string' ? { code } : {}) });
}

function bracketed(path: ReadonlyArray<PropertyKey>): string {
  const [first = '', ...rest] = path.map(String);
  return first + rest.map((segment) => `[${segment}]`).join('');
}
