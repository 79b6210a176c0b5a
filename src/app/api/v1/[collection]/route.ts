import { postToCollection } from '#server/http-api/collections.ts';
import { services } from '#server/services.ts';

interface Params {
  params: Promise<{ collection: string }>;
}

export async function POST(request: Request, { params }: Params): Promise<Response> {
  const { collection } = await params;
  return postToCollection(services(), request, collection);
}
