import { z } from 'zod';
import { readableLength } from '#payments/unsafe-text.ts';

/** What a person writes, and others read: so much of it can be seen. */
export function writtenText({ min, max, message }: { min: number; max: number; message: string }) {
  return (
    z
      .string()
      .trim()
      // Says in the schema what the refinement needs at least.
      .min(min, { message, abort: true })
      .max(max)
      .refine((text) => readableLength(text) >= min, message)
  );
}

/** Why a person does something that is kept: a reader of the audit log a year later has only this. */
export const reason = writtenText({ min: 5, max: 1_000, message: 'Say why, in a few words.' });
