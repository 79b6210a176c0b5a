import { TRPCError } from '@trpc/server';
import { exportResponse } from '#console/operations-list/export-response.ts';
import { serverApi } from '#app/trpc/server.ts';

export async function GET(request: Request): Promise<Response> {
  const api = await serverApi();
  try {
    return await exportResponse(request, await api.people.me());
  } catch (error) {
    if (!(error instanceof TRPCError)) throw error;
    // Nobody is told anything but that they are nobody here.
    return new Response('Please sign in.', { status: error.code === 'FORBIDDEN' ? 403 : 401 });
  }
}
