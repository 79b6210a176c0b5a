import { TRPCError } from '@trpc/server';
import { serverApi } from '#app/trpc/server.ts';
import { exportResponse } from '#console/operations-list/export-response.ts';
import { services } from '#server/services.ts';

export async function GET(request: Request): Promise<Response> {
  const api = await serverApi();
  try {
    return await exportResponse(services().db, request, await api.people.me());
  } catch (error) {
    if (!(error instanceof TRPCError)) throw error;
    // The response does not say which of the two is missing: a session or a membership.
    return new Response('Please sign in.', { status: error.code === 'FORBIDDEN' ? 403 : 401 });
  }
}
