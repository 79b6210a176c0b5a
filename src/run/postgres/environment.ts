// PostgreSQL reads PGDATA, PGPORT, LC_… and TZ from its environment; none of the user's may reach the embedded server.
export const serverEnvironment: NodeJS.ProcessEnv = {
  NODE_ENV: process.env.NODE_ENV,
  PATH: process.env.PATH,
  LC_ALL: 'C',
  TZ: 'UTC',
};
