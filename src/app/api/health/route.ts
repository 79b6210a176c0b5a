/** The process is up and responds. Its dependencies are checked by `/api/ready`. */
export const dynamic = 'force-dynamic';

export function GET(): Response {
  return Response.json({ status: 'ok' });
}
