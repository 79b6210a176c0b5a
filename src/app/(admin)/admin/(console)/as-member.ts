import { TRPCError } from '@trpc/server';
import { headers } from 'next/headers';
import { serverApi } from '#app/trpc/server.ts';
import { isFollowedFromOwnPage } from '#server/incoming/own-origin.ts';
import { mayStillRead } from '#server/live/still-allowed.ts';
import { services } from '#server/services.ts';
import { createPageContext } from '#server/trpc/context.ts';
import { isUnavailable, unavailableResponse } from '#server/unavailable.ts';

type Api = Awaited<ReturnType<typeof serverApi>>;
type Member = Awaited<ReturnType<Api['people']['me']>>;
/** Whether the person may still read these shops, while what they asked for is sent. */
type MayStillRead = (tenantIds: readonly string[]) => Promise<boolean>;

/**
 * For downloads, which are no pages: without a session or a membership the response is a status instead of a redirect. They
 * may be large and are written to the audit log, so a link on another site, which brings the session's cookie along, starts
 * none. Of one shop a few are made at a time.
 */
export async function asMember(
  request: Request,
  respond: (member: Member, mayStillRead: MayStillRead, api: Api) => Promise<Response>,
): Promise<Response> {
  if (!isFollowedFromOwnPage(request, services().settings.PUBLIC_URL)) {
    return new Response('Exports are started on the pages of the console.', { status: 403 });
  }
  const api = await serverApi();
  // Next's headers are gone when the response is streamed.
  const context = createPageContext(new Headers(await headers()));
  try {
    const member = await api.people.me();
    return await services().exportLimit.run(member.tenantId, request, () =>
      respond(member, (tenantIds) => mayStillRead(context, tenantIds), api),
    );
  } catch (error) {
    if (isUnavailable(error)) return unavailableResponse();
    if (!(error instanceof TRPCError)) throw error;
    if (error.code === 'SERVICE_UNAVAILABLE') return unavailableResponse();
    // The address names the shop of the page, and another one is open now.
    if (error.code === 'PRECONDITION_FAILED') return new Response(error.message, { status: 412 });
    if (error.code === 'BAD_REQUEST') return new Response(error.message, { status: 400 });
    if (error.code !== 'UNAUTHORIZED' && error.code !== 'FORBIDDEN') throw error;
    // The response does not say which of the two is missing: a session or a membership.
    return new Response('Please sign in.', { status: error.code === 'FORBIDDEN' ? 403 : 401 });
  }
}
