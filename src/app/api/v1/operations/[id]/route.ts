import { getOperation } from '#server/http-api/operations.ts';
import { refuseMethod } from '#server/http-api/refuse-method.ts';
import { services } from '#server/services.ts';

export async function GET(
  request: Request,
  { params }: { params: Promise<{ id: string }> },
): Promise<Response> {
  return getOperation(services(), request, (await params).id);
}

const refuse = () => refuseMethod(services(), 'GET');

export { refuse as DELETE, refuse as PATCH, refuse as POST, refuse as PUT };
