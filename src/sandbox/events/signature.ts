import { createHmac } from 'node:crypto';

/**
 * Stripe's v1 scheme: HMAC-SHA256 over "timestamp.payload". The timestamp is wall time even when the sandbox clock has
 * been advanced, because the receiver checks its age against a clock of its own.
 */
export function signatureHeader(payload: string, secret: string, wallMs: number): string {
  const timestamp = Math.floor(wallMs / 1000);
  const signature = createHmac('sha256', secret).update(`${timestamp}.${payload}`).digest('hex');
  return `t=${timestamp},v1=${signature}`;
}
