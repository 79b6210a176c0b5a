import { createCipheriv, createDecipheriv, createSecretKey, randomFillSync } from 'node:crypto';
import type { ResponseCipher } from './ports.ts';

export interface CipherKey {
  readonly id: string;
  /** 32 bytes. */
  readonly key: Uint8Array;
}

const nonceBytes = 12;
const tagBytes = 16;

/**
 * AES-256-GCM. New bodies are sealed with the first key; the other keys only open what they once sealed.
 *
 * A key is rotated in two deployments, because the processes of a deployment are not replaced at one moment: first the new
 * key is added behind the old one, everywhere; then it is put in front. The old one is removed when the body retention has
 * passed. A process that does not have the key of a body responds with 503, and nothing is executed.
 */
export function createResponseCipher(keys: readonly [CipherKey, ...CipherKey[]]): ResponseCipher {
  const current = keys[0];
  // Node prepares bytes anew for each body, which takes longer than sealing it.
  const byId = new Map(keys.map(({ id, key }) => [id, createSecretKey(key)]));
  const currentKey = createSecretKey(current.key);
  const nextNonce = createNonces();

  return {
    seal(recordId, body) {
      const nonce = nextNonce();
      const cipher = createCipheriv('aes-256-gcm', currentKey, nonce).setAAD(Buffer.from(recordId));
      const sealed = Buffer.concat([nonce, cipher.update(body, 'utf8'), cipher.final()]);
      return { keyId: current.id, body: Buffer.concat([sealed, cipher.getAuthTag()]) };
    },
    open(recordId, sealed) {
      const key = byId.get(sealed.keyId);
      if (!key) throw new Error(`No response key with id "${sealed.keyId}" is configured.`);
      const bytes = Buffer.from(sealed.body);
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes))
        .setAAD(Buffer.from(recordId))
        .setAuthTag(bytes.subarray(-tagBytes));
      const text = bytes.subarray(nonceBytes, -tagBytes);
      return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8');
    },
  };
}

/** Drawing random bytes takes longer than sealing a body, so those of many nonces are drawn at once. Each is used once. */
function createNonces(): () => Buffer {
  const drawn = Buffer.alloc(nonceBytes * 256);
  let used = drawn.length;
  return () => {
    if (used === drawn.length) {
      randomFillSync(drawn);
      used = 0;
    }
    used += nonceBytes;
    return drawn.subarray(used - nonceBytes, used);
  };
}
