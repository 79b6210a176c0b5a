import type { serverApi } from '#app/trpc/server.ts';

type Api = Awaited<ReturnType<typeof serverApi>>;

export type Operation = Awaited<ReturnType<Api['operation']['get']>>;
export type About = NonNullable<Operation['about']>;
export type Examination = NonNullable<Awaited<ReturnType<Api['operation']['examine']>>>;
export type Member = Awaited<ReturnType<Api['people']['me']>>;
