import { memberProcedure, router } from '../init.ts';

/** Who is here, and who works with them. */
export const peopleRouter = router({
  me: memberProcedure.query(({ ctx }) => ctx.member),
});
