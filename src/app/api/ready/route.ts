import { checkReadiness } from '#server/observability/health.ts';
import { house } from '#server/services.ts';

export const dynamic = 'force-dynamic';

export async function GET(): Promise<Response> {
  const readiness = await checkReadiness(house());
  return Response.json(readiness, { status: readiness.ready ? 200 : 503 });
}
