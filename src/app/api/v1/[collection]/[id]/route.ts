import { readFromCollection, refuseOnCollection } from '#server/http-api/collections.ts';
import { services } from '#server/services.ts';

interface Params {
  params: Promise<{ collection: string; id: string }>;
}

export async function GET(request: Request, { params }: Params): Promise<Response> {
  const { collection, id } = await params;
  return readFromCollection(services(), request, collection, id);
}

async function refuse(_: Request, { params }: Params): Promise<Response> {
  return refuseOnCollection(services(), (await params).collection, 'GET');
}

export { refuse as DELETE, refuse as PATCH, refuse as POST, refuse as PUT };
