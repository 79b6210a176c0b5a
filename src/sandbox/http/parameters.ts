import { z } from 'zod';
import { type ApiError, invalidRequest } from './api-error.ts';
import type { FormObject } from './form.ts';

/*
 * Parameters arrive as text. These schemas turn them into values, or into the error that Stripe returns, in Stripe's
 * words. Objects are strict: a parameter that the sandbox does not know is refused, so that no caller relies on one that
 * has no effect.
 */

type Invalid = { message: string; code?: string };

export function refuse(ctx: z.RefinementCtx, { message, code }: Invalid): never {
  ctx.addIssue({ code: 'custom', message, params: { code } });
  return z.NEVER;
}

/**
 * The parameters of an endpoint. `unsupported` are those that Stripe has and the sandbox refuses; `check` compares
 * parameters that are valid one by one.
 */
export function parameters<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
  unsupported: readonly string[] = [],
  check: (input: z.output<z.ZodObject<Shape, z.core.$strict>>, ctx: z.RefinementCtx) => void = () => {},
) {
  return z.strictObject(shape).superRefine(check).meta({ unsupported });
}

export function integer(min: number, max = Number.MAX_SAFE_INTEGER) {
  return text.transform((digits, ctx) => {
    const code = 'parameter_invalid_integer';
    if (!/^-?\d{1,15}$/.test(digits)) return refuse(ctx, { message: `Invalid integer: ${digits}`, code });
    const value = Number(digits);
    if (value < min)
      return refuse(ctx, { message: `This value must be greater than or equal to ${min}.`, code });
    if (value > max)
      return refuse(ctx, { message: `This value must be less than or equal to ${max}.`, code });
    return value;
  });
}

/** Not empty: an empty value is Stripe's way to unset a parameter, and few parameters can be unset. */
export const text = z.string().min(1);

export const boolean = text.transform((word, ctx) => {
  if (word === 'true' || word === 'false') return word === 'true';
  return refuse(ctx, { message: `Invalid boolean: ${word}` });
});

export const url = text.transform((address, ctx) => {
  if (!/^[a-z][a-z0-9+.-]*:/i.test(address)) {
    return refuse(ctx, {
      message: 'Invalid URL: An explicit scheme (such as https) must be provided.',
      code: 'url_invalid',
    });
  }
  return URL.canParse(address) ? address : refuse(ctx, { message: 'Not a valid URL', code: 'url_invalid' });
});

export const email = text.transform((address, ctx) =>
  z.email().safeParse(address).success
    ? address
    : refuse(ctx, { message: `Invalid email address: ${address}`, code: 'email_invalid' }),
);

export function list<T extends z.ZodType>(item: T) {
  return z.preprocess((value, ctx) => {
    if (typeof value !== 'object' || value === null) return value;
    const keys = Object.keys(value);
    const wrong = keys.find((key, index) => key !== String(index));
    if (wrong === undefined) return Object.values(value);
    return refuse(ctx as z.RefinementCtx, {
      message: `If passing an array with explicit keys (e.g. foo[0]=a&foo[1]=b) instead of as an array (e.g. foo[]=a&foo[]=b), the keys must be numeric and sequential starting from 0. You passed the keys \`${keys.join(', ')}\`, we expected to have a key with the value \`${keys.indexOf(wrong)}\`.`,
    });
  }, z.array(item));
}

// Stripe's limits.
const METADATA = { keys: 50, keyLength: 40, valueLength: 500 };

/** An empty value unsets its key, and an empty text instead of an object unsets all. */
export const metadata = z.preprocess(
  (value) => (value === '' ? {} : value),
  z.record(z.string(), z.string()).transform((entries, ctx) => {
    for (const [key, value] of Object.entries(entries)) {
      if (/[[\]]/.test(key)) {
        return refuse(ctx, { message: `Metadata keys cannot contain square brackets. Invalid key: ${key}` });
      }
      if (key.length > METADATA.keyLength) {
        return refuse(ctx, {
          message: `Metadata keys can have up to ${METADATA.keyLength} characters, but you passed in a key that is ${key.length} characters. Invalid key: ${key}`,
        });
      }
      if (value.length > METADATA.valueLength) {
        return refuse(ctx, {
          message: `Metadata values can have up to ${METADATA.valueLength} characters, but you passed in a value that is ${value.length} characters. Invalid value: ${value}`,
        });
      }
    }
    if (Object.keys(entries).length > METADATA.keys)
      return refuse(ctx, { message: `Metadata can have up to ${METADATA.keys} keys.` });
    return Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== ''));
  }),
);

export function readParameters<S extends z.ZodType>(schema: S, form: FormObject): z.output<S> {
  // Without the input, a value of the wrong shape could not be distinguished from one that is missing.
  const parsed = schema.safeParse(form, { reportInput: true });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const unsupported = schema.meta()?.unsupported;
  throw issue
    ? toApiError(issue, Array.isArray(unsupported) ? unsupported : [])
    : invalidRequest('Invalid request.');
}

function toApiError(issue: z.core.$ZodIssue, unsupported: readonly string[]): ApiError {
  const param = bracketed(issue.path);
  switch (issue.code) {
    case 'unrecognized_keys':
      return unknownParameters(
        issue.keys.map((key) => bracketed([...issue.path, key])),
        unsupported,
      );
    case 'invalid_type':
      return wrongShape(issue, param);
    case 'invalid_union':
      return toApiError(ofBranch(issue), unsupported);
    case 'invalid_value':
      if (issue.input === '') return empty(param);
      return invalidRequest(`Invalid ${param}: must be one of ${enumeration(issue.values.map(String))}`, {
        param,
      });
    case 'too_small':
      return empty(param);
    case 'too_big':
      return invalidRequest(
        `Invalid string: ${shortened(String(issue.input))}; must be at most ${issue.maximum} characters`,
        { param },
      );
    case 'custom': {
      const code: unknown = issue.params?.code;
      return invalidRequest(issue.message, { param, ...(typeof code === 'string' ? { code } : {}) });
    }
    default:
      return invalidRequest(`Invalid ${param}`, { param });
  }
}

function unknownParameters(names: string[], unsupported: readonly string[]): ApiError {
  const refused = names.find((name) => unsupported.includes(name));
  if (refused !== undefined) {
    return invalidRequest(
      `The sandbox does not support the parameter ${refused}, which Stripe has. Its README lists what it refuses.`,
      { code: 'parameter_unknown', param: refused },
    );
  }
  const [param = ''] = names;
  return invalidRequest(`Received unknown parameter${names.length > 1 ? 's' : ''}: ${names.join(', ')}`, {
    code: 'parameter_unknown',
    param,
  });
}

const SHAPES: Record<string, string> = {
  array: 'Invalid array',
  object: 'Invalid object',
  record: 'Invalid object',
};

function wrongShape(issue: z.core.$ZodIssueInvalidType, param: string): ApiError {
  if (issue.input === undefined) {
    return invalidRequest(`Missing required param: ${param}.`, { code: 'parameter_missing', param });
  }
  const shape = SHAPES[issue.expected];
  if (shape === undefined) return invalidRequest(`Invalid string: ${JSON.stringify(issue.input)}`, { param });
  return issue.input === '' ? empty(param) : invalidRequest(shape, { param });
}

function empty(param: string): ApiError {
  return invalidRequest(
    `You passed an empty string for '${param}'. We assume empty values are an attempt to unset a parameter; however '${param}' cannot be unset. You should remove '${param}' from your request or supply a non-empty value.`,
    { code: 'parameter_invalid_empty', param },
  );
}

/** Of a parameter that is a text or an object, the complaint about the shape that it has. */
function ofBranch(issue: z.core.$ZodIssueInvalidUnion): z.core.$ZodIssue {
  const wanted = typeof issue.input === 'string' ? 'text' : 'object';
  const [asText, asObject] = issue.errors;
  const [found] = (wanted === 'text' ? asText : asObject) ?? [];
  if (!found) return { code: 'custom', path: issue.path, message: 'Invalid request.' };
  return { ...found, path: [...issue.path, ...found.path] };
}

function enumeration(values: string[]): string {
  if (values.length < 3) return values.join(' or ');
  return `${values.slice(0, -1).join(', ')}, or ${values.at(-1)}`;
}

function shortened(value: string): string {
  return value.length > 20 ? `${value.slice(0, 10)}...${value.slice(-10)}` : value;
}

function bracketed(path: ReadonlyArray<PropertyKey>): string {
  const [first = '', ...rest] = path.map(String);
  return first + rest.map((segment) => `[${segment}]`).join('');
}
