import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { appointOwner } from '#server/auth/appoint-owner.ts';
import { passwordLength } from '#server/auth/password-length.ts';
import { openDatabase } from '#server/database.ts';
import { checkDatabase } from './database.ts';
import { findDatabase } from './find-database.ts';
import { applyMigrations } from './migrate.ts';
import { describe, PlainError } from './plain-error.ts';
import { readSettings } from './read-settings.ts';
import { bold, print, runCommand } from './terminal.ts';

const help = `Usage: npm run owner -- --email ada@shop.example --tenant my-shop --name "My Shop"

Gives a shop its first owner, and creates the shop if there is none of that name. Prints a link that works once within
three days, where the owner chooses a password. After that, owners invite other members in the console.

  --email           the owner's address
  --tenant          the shop's short name, as in /s/my-shop: lower-case letters, digits, hyphens
  --name            the shop's name; needed when the shop is new
  --another         allow it when the shop has an owner already
  --password-stdin  read the password from standard input instead of printing a link. An existing account gets this
                    password, loses its second factor, and is signed out everywhere.

It works on DATABASE_URL or, when that is not set, on the embedded database while "npm start" runs.`;

function readArgs(args: string[]) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        email: { type: 'string' },
        tenant: { type: 'string' },
        name: { type: 'string' },
        another: { type: 'boolean', default: false },
        'password-stdin': { type: 'boolean', default: false },
      },
    });
    return values;
  } catch (error) {
    throw new PlainError(`${describe(error).split('. ')[0]}. --help lists the options.`);
  }
}

function required(value: string | undefined, pattern: RegExp, sentence: string): string {
  if (value === undefined || !pattern.test(value)) throw new PlainError(sentence);
  return value;
}

// The password is never an argument, because arguments appear in the shell's history and in the process list.
async function readPassword(): Promise<string> {
  const password = (await text(process.stdin)).replace(/\r?\n$/, '');
  if (password.length < passwordLength.min || password.length > passwordLength.max) {
    throw new PlainError(
      `The password must have from ${passwordLength.min} to ${passwordLength.max} characters.`,
    );
  }
  return password;
}

async function appoint(args: string[]): Promise<void> {
  const given = readArgs(args);
  const email = required(
    given.email,
    /^[^\s@]+@[^\s@]+$/,
    '--email must be an address such as ada@shop.example.',
  );
  const slug = required(
    given.tenant,
    /^[a-z0-9-]{1,60}$/,
    '--tenant must be a short name of lower-case letters, digits and hyphens.',
  );
  const password = given['password-stdin'] ? await readPassword() : undefined;
  const settings = readSettings();
  const databaseUrl = findDatabase(settings);
  await checkDatabase(databaseUrl, 'DATABASE_URL');
  await applyMigrations(databaseUrl);
  const db = openDatabase(databaseUrl);
  try {
    const result = await appointOwner(db, {
      email,
      tenant: { slug, name: given.name },
      password,
      another: given.another,
      publicUrl: settings.PUBLIC_URL,
    });
    switch (result.kind) {
      case 'no_such_tenant':
        throw new PlainError(`There is no shop "${slug}" yet; give it a name with --name to create it.`);
      case 'has_owner':
        throw new PlainError(
          `"${slug}" has an owner already (${result.owners.join(', ')}), who can invite others in the console; add --another to appoint one from here.`,
        );
      case 'owner':
        return print(`${email} owns "${slug}" and can sign in at ${bold(`${settings.PUBLIC_URL}/admin`)}.`);
      case 'link':
        print(`Open this link to become the owner of "${slug}". It works once, for three days:\n`);
        return print(`  ${bold(result.link)}`);
    }
  } finally {
    await db.$disconnect();
  }
}

await runCommand(help, appoint);
