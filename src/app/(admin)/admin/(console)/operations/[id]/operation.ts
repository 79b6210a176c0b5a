import type { RouterOutputs } from '#server/trpc/outputs.ts';

export type Operation = RouterOutputs['operation']['get'];
export type About = NonNullable<Operation['about']>;
export type Examination = NonNullable<RouterOutputs['operation']['examine']>;
export type Member = RouterOutputs['people']['me'];
