import { z } from 'zod';
import { auditChoices, listAudit } from '#console/audit/list-audit.ts';
import { memberProcedure, router } from '../init.ts';

const filter = z.object({
  person: z.string().max(254).optional(),
  action: z.string().max(100).optional(),
  subject: z.string().max(255).optional(),
  from: z.date().optional(),
  until: z.date().optional(),
  // From an address: what is no position in the list gives its first page.
  before: z
    .string()
    .regex(/^\d{1,18}$/)
    .optional()
    .catch(undefined),
  limit: z.int().min(1).max(500).default(50),
});

/** Who did what, when, and why. */
export const auditRouter = router({
  list: memberProcedure
    .input(filter)
    .query(({ ctx, input: { before, limit, ...wanted } }) =>
      listAudit(ctx.services.db, ctx.member.tenantId, wanted, { before, limit }),
    ),

  choices: memberProcedure.query(({ ctx }) => auditChoices(ctx.services.db, ctx.member.tenantId)),
});
