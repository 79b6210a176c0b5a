import { getOperation } from '#server/http-api/operations.ts';
import { house } from '#server/services.ts';

export async function GET(
  request: Request,
  { params }: { params: Promise<{ id: string }> },
): Promise<Response> {
  return getOperation(house(), request, (await params).id);
}
