import { findOperations } from '#server/http-api/operations.ts';
import { services } from '#server/services.ts';

export function GET(request: Request): Promise<Response> {
  return findOperations(services(), request);
}
