import { describeApi } from '#server/http-api/openapi.ts';
import { services } from '#server/services.ts';

export const dynamic = 'force-dynamic';

export function GET(): Response {
  return Response.json(describeApi(services().settings.PUBLIC_URL));
}
