/**
 * What a process that a test starts has of the environment of the test run: where programs are, and where Node caches
 * compiled code, which saves a third of the time of every start.
 */
export function childEnvironment(): { readonly PATH: string; readonly NODE_COMPILE_CACHE?: string } {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env;
  return { PATH, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) };
}
