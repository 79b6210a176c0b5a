import { postPayment } from '#server/http-api/payments.ts';
import { house } from '#server/services.ts';

export function POST(request: Request): Promise<Response> {
  return postPayment(house(), request);
}
