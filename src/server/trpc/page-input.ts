import { z } from 'zod';

/** Where a page of a list begins and how long it is; a place that makes no sense is the beginning. */
export const pageInput = z.object({
  after: z.string().max(60).optional(),
  before: z.string().max(60).optional(),
  limit: z.int().min(1).max(200).default(50),
});
