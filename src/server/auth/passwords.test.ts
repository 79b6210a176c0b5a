import { hashPassword, verifyPassword } from 'better-auth/crypto';
import { expect, test } from 'vitest';
import { createPasswords, PasswordsBusy } from './passwords.ts';

function slowHashing() {
  const finish: (() => void)[] = [];
  let running = 0;
  let most = 0;
  const hash = async (password: string) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise<void>((resolve) => finish.push(resolve));
    running -= 1;
    return `hash of ${password}`;
  };
  return { hash, verify: async () => true, finish, most: () => most };
}

test('one password is hashed at a time, ten wait, and the next is refused at once', async () => {
  const slow = slowHashing();
  const passwords = createPasswords(slow);
  const admitted = Array.from({ length: 11 }, (_, n) => passwords.hash(`p${n}`));
  await expect(passwords.hash('one too many')).rejects.toBeInstanceOf(PasswordsBusy);
  expect(passwords.isBusy()).toBe(true);
  for (const one of admitted) {
    await expect.poll(() => slow.finish.length).toBe(1);
    slow.finish.pop()?.();
    await one;
  }
  expect(slow.most()).toBe(1);
  expect(passwords.isBusy()).toBe(false);
});

test('a failure does not hold up the next one', async () => {
  const passwords = createPasswords({
    hash: () => Promise.reject(new Error('broken')),
    verify: async () => true,
  });
  await expect(passwords.hash('x')).rejects.toThrow('broken');
  expect(await passwords.verify({ hash: 'h', password: 'p' })).toBe(true);
});

test('in production a password is hashed by scrypt with a salt of its own, and compared with that', async () => {
  const passwords = createPasswords();
  const [hash, same] = [await passwords.hash('a password'), await passwords.hash('a password')];
  expect(hash).toMatch(/^[0-9a-f]{32}:[0-9a-f]{128}$/);
  expect(same).not.toBe(hash);
  expect(await verifyPassword({ hash, password: 'a password' })).toBe(true);
  const theirs = await hashPassword('another');
  expect(await passwords.verify({ hash: theirs, password: 'another' })).toBe(true);
  expect(await passwords.verify({ hash: theirs, password: 'a password' })).toBe(false);
});
