import { generateClient } from './prisma-client.ts';
import { runCommand } from './terminal.ts';

const help = `Usage: node src/run/generate.ts

Generates the Prisma client into prisma/client, unless it was generated from this schema by this version of Prisma.`;

await runCommand(help, generateClient);
