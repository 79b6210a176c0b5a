import { generateClient } from './prisma-client.ts';
import { runCommand } from './terminal.ts';

const help = `Usage: node src/run/generate.ts

Generates the Prisma client into prisma/client, unless it already belongs to this schema and this Prisma.`;

await runCommand(help, generateClient);
