import { describeApi } from '#server/http-api/openapi.ts';
import { house } from '#server/services.ts';

export const dynamic = 'force-dynamic';

export function GET(): Response {
  return Response.json(describeApi(house().settings.PUBLIC_URL));
}
