import { findApt } from '#run/debian.ts';

/** The first that the archive has is installed: not every release of Debian packages the headless shell separately. */
export const packages = ['chromium-headless-shell', 'chromium'] as const;

export async function installWithApt(print: (line: string) => void): Promise<boolean> {
  const install = await findApt();
  if (install === undefined) return false;
  print("Installing Debian's chromium for the browser tests…");
  for (const name of packages) if (await install([name, 'fonts-dejavu-core'])) return true;
  return false;
}
