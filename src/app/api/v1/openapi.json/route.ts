import { describeApi } from '#server/http-api/openapi.ts';
import { refuseMethod } from '#server/http-api/refuse-method.ts';
import { services } from '#server/services.ts';

export const dynamic = 'force-dynamic';

export function GET(): Response {
  return Response.json(describeApi(services().settings.PUBLIC_URL));
}

const refuse = () => refuseMethod(services(), 'GET');

export { refuse as DELETE, refuse as PATCH, refuse as POST, refuse as PUT };
