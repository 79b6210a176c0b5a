import { postToCollection, refuseOnCollection } from '#server/http-api/collections.ts';
import { services } from '#server/services.ts';

interface Params {
  params: Promise<{ collection: string }>;
}

export async function POST(request: Request, { params }: Params): Promise<Response> {
  const { collection } = await params;
  return postToCollection(services(), request, collection);
}

async function refuse(_: Request, { params }: Params): Promise<Response> {
  return refuseOnCollection(services(), (await params).collection, 'POST');
}

export { refuse as DELETE, refuse as GET, refuse as PATCH, refuse as PUT };
