import { checkReadiness } from '#server/observability/health.ts';
import { services } from '#server/services.ts';

export const dynamic = 'force-dynamic';

export async function GET(): Promise<Response> {
  const readiness = await checkReadiness(services());
  return Response.json(readiness, { status: readiness.ready ? 200 : 503 });
}
