import { findOperations } from '#server/http-api/operations.ts';
import { house } from '#server/services.ts';

export function GET(request: Request): Promise<Response> {
  return findOperations(house(), request);
}
