import type { ApiRequest } from '../http-api/request.ts';
import type { Services } from '../services.ts';
import { mayReadMetrics } from './admission.ts';

export async function respondToScrape(
  { settings, metrics, log }: Pick<Services, 'settings' | 'metrics' | 'log'>,
  request: ApiRequest,
): Promise<Response> {
  if (!mayReadMetrics(settings, request.headers)) {
    const sentence = settings.METRICS_TOKEN
      ? 'The metrics are read with METRICS_TOKEN as bearer token.'
      : 'The metrics are read from this machine only, unless METRICS_TOKEN is set.';
    const headers = { 'Cache-Control': 'no-store', 'WWW-Authenticate': 'Bearer realm="paidonce metrics"' };
    return new Response(`${sentence}\n`, { status: settings.METRICS_TOKEN ? 401 : 403, headers });
  }
  try {
    return new Response(await metrics.scrape(), {
      headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8', 'Cache-Control': 'no-store' },
    });
  } catch (error) {
    // Prometheus records a failed scrape as `up == 0`, and there is an alert on that.
    log.error({ err: error }, 'metrics failed');
    return new Response('The database does not respond.\n', { status: 503 });
  }
}
