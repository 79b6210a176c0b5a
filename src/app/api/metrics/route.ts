import { answerScrape } from '#server/metrics/answer-scrape.ts';
import { house } from '#server/wiring.ts';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return answerScrape(house(), request);
}
