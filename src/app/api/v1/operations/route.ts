import { findOperations } from '#server/http-api/operations.ts';
import { house } from '#server/wiring.ts';

export function GET(request: Request): Promise<Response> {
  return findOperations(house(), request);
}
