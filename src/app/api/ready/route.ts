import { checkReadiness } from '#server/health.ts';
import { house } from '#server/wiring.ts';

export const dynamic = 'force-dynamic';

export async function GET(): Promise<Response> {
  const readiness = await checkReadiness(house());
  return Response.json(readiness, { status: readiness.ready ? 200 : 503 });
}
