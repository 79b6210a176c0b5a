import { notFound } from 'next/navigation';
import type { z } from 'zod';

/**
 * The fields of a form that was posted to an action. A program may send anything to an action, also something that
 * is no form: that is a page that does not exist, and no failure of the server.
 */
export function readPostedForm<Schema extends z.ZodType>(schema: Schema, form: unknown): z.output<Schema> {
  const parsed = schema.safeParse(form instanceof FormData ? Object.fromEntries(form) : undefined);
  return parsed.success ? parsed.data : notFound();
}
