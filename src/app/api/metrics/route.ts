import { answerScrape } from '#server/observability/scrape.ts';
import { house } from '#server/services.ts';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return answerScrape(house(), request);
}
