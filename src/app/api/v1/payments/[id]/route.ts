import { getPayment } from '#server/http-api/payments.ts';
import { house } from '#server/services.ts';

export async function GET(
  request: Request,
  { params }: { params: Promise<{ id: string }> },
): Promise<Response> {
  return getPayment(house(), request, (await params).id);
}
