import { respondToScrape } from '../observability/scrape.ts';
import type { Services } from '../services.ts';
import { receiveStripeWebhook } from '../webhooks.ts';
import { postToCollection, readFromCollection, refuseOnCollection } from './collections.ts';
import { describeApi } from './openapi.ts';
import { findOperations, getOperation } from './operations.ts';
import { notFound, refuseMethod } from './refuse-method.ts';
import type { ApiRequest } from './request.ts';

type Handle = (
  services: Services,
  request: ApiRequest,
  parameters: readonly string[],
) => Promise<Response> | Response;

interface Route {
  /** A segment that is `*` matches any one segment, which becomes a parameter. */
  readonly path: string;
  readonly GET?: Handle;
  readonly POST?: Handle;
  /** For other methods, where the response is not the same for all parameters. */
  readonly refuse?: (services: Services, parameters: readonly string[]) => Response;
}

/** What Next serves under `src/app/api`, except for what only pages use. The first route that matches is taken. */
const routes: readonly Route[] = [
  { path: '/api/health', GET: () => Response.json({ status: 'ok' }) },
  { path: '/api/ready', GET: readiness },
  { path: '/api/metrics', GET: respondToScrape },
  { path: '/api/webhooks/stripe', POST: receiveStripeWebhook },
  {
    path: '/api/v1/openapi.json',
    GET: ({ settings }) => Response.json(describeApi(settings.PUBLIC_URL)),
  },
  { path: '/api/v1/operations', GET: findOperations },
  {
    path: '/api/v1/operations/*',
    GET: (services, request, [id = '']) => getOperation(services, request, id),
  },
  {
    path: '/api/v1/*',
    POST: (services, request, [collection = '']) => postToCollection(services, request, collection),
    refuse: (services, [collection = '']) => refuseOnCollection(services, collection, 'POST'),
  },
  {
    path: '/api/v1/*/*',
    GET: (services, request, [collection = '', id = '']) =>
      readFromCollection(services, request, collection, id),
    refuse: (services, [collection = '']) => refuseOnCollection(services, collection, 'GET'),
  },
];

/** Responds to one request of the HTTP API, wherever it is served. */
export async function respond(services: Services, request: ApiRequest): Promise<Response> {
  const segments = new URL(request.url).pathname.split('/');
  for (const route of routes) {
    const parameters = match(route.path.split('/'), segments);
    if (!parameters) continue;
    const { GET, POST } = route;
    if (request.method === 'POST' && POST) return POST(services, request, parameters);
    if ((request.method === 'GET' || request.method === 'HEAD') && GET) {
      return GET(services, request, parameters);
    }
    const allowed = [...(GET ? ['GET', 'HEAD'] : []), ...(POST ? ['POST'] : [])];
    if (request.method === 'OPTIONS') {
      return new Response(null, { status: 204, headers: { Allow: [...allowed, 'OPTIONS'].join(', ') } });
    }
    if (route.refuse) return route.refuse(services, parameters);
    return refuseMethod(services, ...(GET ? ['GET'] : []), ...(POST ? ['POST'] : []));
  }
  return notFound(services);
}

async function readiness(services: Services): Promise<Response> {
  const found = await services.readiness();
  return Response.json(found, { status: found.ready ? 200 : 503 });
}

/** The parameters, if the path matches. */
function match(pattern: readonly string[], segments: readonly string[]): string[] | undefined {
  if (pattern.length !== segments.length) return undefined;
  const parameters: string[] = [];
  for (const [index, wanted] of pattern.entries()) {
    const segment = segments[index] ?? '';
    if (wanted === '*' && segment !== '') parameters.push(segment);
    else if (wanted !== segment) return undefined;
  }
  return parameters;
}
