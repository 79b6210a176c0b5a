import type { serverApi } from '#app/trpc/server.ts';

type Api = Awaited<ReturnType<typeof serverApi>>;

export type Operation = Awaited<ReturnType<Api['operation']['get']>>;
export type About = NonNullable<Operation['about']>;
export type Look = NonNullable<Awaited<ReturnType<Api['operation']['look']>>>;
export type Member = Awaited<ReturnType<Api['people']['me']>>;
