import { z } from 'zod';
import { readDay, readZone } from '#console/paging/days.ts';

/** Where a page of a list begins and how long it is. An invalid cursor gives the first page. */
export const pageInput = z.object({
  after: z.string().max(60).optional(),
  before: z.string().max(60).optional(),
  limit: z.int().min(1).max(200).default(50),
});

const day = z.string().refine((text) => readDay(text) !== undefined, 'Enter a day such as 2026-11-17.');

/** The first and the last day of a list, in a time zone. */
export const dayInput = {
  from: day.optional(),
  to: day.optional(),
  zone: z
    .string()
    .refine((text) => readZone(text) !== undefined, 'This time zone is not known.')
    .optional(),
};
