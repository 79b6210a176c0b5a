/** The process is up and answers. Says nothing about what it needs: that is `/api/ready`. */
export const dynamic = 'force-dynamic';

export function GET(): Response {
  return Response.json({ status: 'ok' });
}
