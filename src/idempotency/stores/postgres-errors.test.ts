import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { isPgUnavailable, isRefusedByPostgres } from './postgres-errors.ts';

function sqlError(code: string): Error {
  return Object.assign(new pg.DatabaseError('from PostgreSQL', 1, 'error'), { code });
}

function socketError(code: string): Error {
  return Object.assign(new Error(`connect ${code}`), { code, syscall: 'connect' });
}

describe('a store is unavailable', () => {
  test.each([
    ['25006', 'a primary that was demoted takes no writes'],
    ['57P01', 'it is shut down'],
    ['57P02', 'it crashed'],
    ['57P03', 'it is starting up'],
    ['57014', 'a statement timeout'],
    ['08006', 'the connection failed'],
    ['53300', 'too many connections'],
    ['53100', 'the disk is full'],
    ['58030', 'an I/O error'],
    ['26000', 'a pooler gave the session to another client'],
    ['40003', 'the outcome of the transaction is not known'],
    ['XX000', 'an internal error, also of a COMMIT'],
  ])('at SQLSTATE %s: %s', (code) => {
    expect(isPgUnavailable(sqlError(code))).toBe(true);
  });

  test.each([
    'ECONNREFUSED',
    'ECONNRESET',
    'ENETUNREACH',
    'EHOSTUNREACH',
    'EHOSTDOWN',
    'ENETDOWN',
    'EPIPE',
    'ETIMEDOUT',
    'EAI_AGAIN',
    'ENOTFOUND',
  ])('at %s', (code) => {
    expect(isPgUnavailable(socketError(code))).toBe(true);
    expect(isPgUnavailable(new AggregateError([socketError(code), socketError('ECONNREFUSED')]))).toBe(true);
  });

  test.each([
    'Connection terminated unexpectedly',
    'Query read timeout',
    'timeout exceeded when trying to connect',
    'Connection terminated due to connection timeout',
    'Client has encountered a connection error and is not queryable',
  ])('at the message %j of pg', (message) => {
    expect(isPgUnavailable(new Error(message))).toBe(true);
  });
});

describe('a statement was refused, and is known not to have happened', () => {
  test.each(['23505', '23514', '22P02', '22021', '40001', '40P01', '42P01', 'P0001', '55P03'])(
    'at SQLSTATE %s',
    (code) => {
      expect(isRefusedByPostgres(code)).toBe(true);
      expect(isPgUnavailable(sqlError(code))).toBe(false);
    },
  );
});

test.each([
  ['ENOENT', 'open'],
  ['EACCES', 'scandir'],
  ['EMFILE', 'open'],
  ['EPERM', 'kill'],
])('%s of the system call %s is about a file or a process, and not about the database', (code, syscall) => {
  expect(isPgUnavailable(Object.assign(new Error(`${code}: ${syscall}`), { code, syscall }))).toBe(false);
});

test.each([
  ['ENOENT', 'connect'],
  ['EACCES', 'connect'],
  ['ECONNRESET', 'read'],
  ['EPIPE', 'write'],
  ['EAI_AGAIN', 'getaddrinfo'],
])('%s of the system call %s is about the database: its socket, or the name of its host', (code, syscall) => {
  expect(isPgUnavailable(Object.assign(new Error(`${code}: ${syscall}`), { code, syscall }))).toBe(true);
});

test('an error of our own code is not mistaken for an unavailable store', () => {
  expect(isPgUnavailable(new TypeError('x is undefined'))).toBe(false);
  expect(isPgUnavailable(Object.assign(new Error('bad'), { code: 'ERR_INVALID_ARG_TYPE' }))).toBe(false);
  expect(isPgUnavailable(undefined)).toBe(false);
});
