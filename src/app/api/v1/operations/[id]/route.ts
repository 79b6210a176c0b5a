import { getOperation } from '#server/http-api/operations.ts';
import { services } from '#server/services.ts';

export async function GET(
  request: Request,
  { params }: { params: Promise<{ id: string }> },
): Promise<Response> {
  return getOperation(services(), request, (await params).id);
}
