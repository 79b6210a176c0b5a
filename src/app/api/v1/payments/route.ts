import { postPayment } from '#server/http-api/payments.ts';
import { services } from '#server/services.ts';

export function POST(request: Request): Promise<Response> {
  return postPayment(services(), request);
}
