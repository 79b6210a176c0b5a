import { zoneOfConsole } from '#app/(admin)/admin/zone.ts';
import { exportPaymentsResponse } from '#console/payments/export-response.ts';
import { services } from '#server/services.ts';
import { asMember } from '../../as-member.ts';

export async function GET(request: Request): Promise<Response> {
  return asMember(request, async (member, mayStillRead) =>
    exportPaymentsResponse(services().db, request, member, await zoneOfConsole(), mayStillRead),
  );
}
