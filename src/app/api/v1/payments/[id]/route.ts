import { getPayment } from '#server/http-api/payments.ts';
import { services } from '#server/services.ts';

export async function GET(
  request: Request,
  { params }: { params: Promise<{ id: string }> },
): Promise<Response> {
  return getPayment(services(), request, (await params).id);
}
