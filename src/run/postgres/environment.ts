// PostgreSQL reads PGDATA, PGPORT, LC_… and TZ from its environment; the embedded server must not get the user's.
export const serverEnvironment: NodeJS.ProcessEnv = {
  NODE_ENV: process.env.NODE_ENV,
  PATH: process.env.PATH,
  LC_ALL: 'C',
  TZ: 'UTC',
};
