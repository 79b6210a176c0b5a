import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { checkEmail } from './read-form.ts';

const serverAccepts = (text: string) => z.email().safeParse(text).success;

describe('the e-mail address of the pay form', () => {
  test.each([
    'name@example.com',
    "o'hara+shop@mail.example.co.uk",
    'ä@exämple.de',
    'ä@example.de',
    'name@exämple.de',
    'имя@example.com',
    'a..b@example.com',
    '.a@example.com',
    'a@-example.com',
    'a@example.c0m',
    'a b@example.com',
    'a@b@example.com',
    'name@example',
    'name',
  ])('%s is marked at the field exactly when the server would refuse it', (text) => {
    expect(checkEmail(text).error === undefined).toBe(serverAccepts(text));
  });

  test('the character that cannot be used is named', () => {
    expect(checkEmail('jürgen@exämple.de').error).toEqual({
      field: 'email',
      message: 'The receipt cannot be sent to an address with “ü”. Enter one such as name@example.com',
    });
  });

  test('a missing address is asked for, and space around one is ignored', () => {
    expect(checkEmail(' ').error?.message).toBe('Enter an e-mail address for the receipt');
    expect(checkEmail(' name@example.com ')).toEqual({ value: 'name@example.com' });
  });
});
