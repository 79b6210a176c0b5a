import { zoneOfConsole } from '#app/(admin)/admin/zone.ts';
import { exportResponse } from '#console/operations-list/export-response.ts';
import { services } from '#server/services.ts';
import { asMember } from '../../as-member.ts';

export async function GET(request: Request): Promise<Response> {
  return asMember(request, async (member, mayStillRead) =>
    exportResponse(services().db, request, member, await zoneOfConsole(), mayStillRead),
  );
}
