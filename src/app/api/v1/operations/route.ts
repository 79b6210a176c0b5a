import { findOperations } from '#server/http-api/operations.ts';
import { refuseMethod } from '#server/http-api/refuse-method.ts';
import { services } from '#server/services.ts';

export function GET(request: Request): Promise<Response> {
  return findOperations(services(), request);
}

const refuse = () => refuseMethod(services(), 'GET');

export { refuse as DELETE, refuse as PATCH, refuse as POST, refuse as PUT };
