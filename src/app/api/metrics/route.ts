import { respondToScrape } from '#server/observability/scrape.ts';
import { services } from '#server/services.ts';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return respondToScrape(services(), request);
}
