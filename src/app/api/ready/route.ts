import { services } from '#server/services.ts';

export const dynamic = 'force-dynamic';

export async function GET(): Promise<Response> {
  const readiness = await services().readiness();
  return Response.json(readiness, { status: readiness.ready ? 200 : 503 });
}
