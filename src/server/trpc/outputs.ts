import type { inferRouterOutputs } from '@trpc/server';
import type { AppRouter } from './root.ts';

/** What each procedure returns. Pages and components take their types from here instead of repeating them. */
export type RouterOutputs = inferRouterOutputs<AppRouter>;
