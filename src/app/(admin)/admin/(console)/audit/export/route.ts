import { zoneOfConsole } from '#app/(admin)/admin/zone.ts';
import { exportAuditResponse } from '#console/audit/export-response.ts';
import { services } from '#server/services.ts';
import { asMember } from '../../as-member.ts';
import { auditQuery } from '../audit-query.ts';

export function GET(request: Request): Promise<Response> {
  const query = new URL(request.url).searchParams;
  return asMember(request, async (member, mayStillRead, api) => {
    const { filter } = auditQuery((name) => query.get(name) || undefined, await zoneOfConsole());
    // A filter that is none becomes a status, before anything is written.
    await api.audit.list({ ...filter, limit: 1 });
    return exportAuditResponse(services().db, member, filter, mayStillRead);
  });
}
