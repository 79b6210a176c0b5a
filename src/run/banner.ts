import type { Settings } from '#server/env.ts';
import { shortPath } from './checkout.ts';
import { type DemoData, demoFileOf } from './demo-data.ts';
import { localUrl } from './launch-config.ts';
import { bold, dim, print } from './terminal.ts';

export function showBanner(settings: Settings, demo: DemoData | undefined, seconds: string): void {
  const at = settings.PUBLIC_URL;
  print('');
  print(`${bold('Paidonce is ready')} ${dim(`after ${seconds} s`)}`);
  print('');
  print(`  Shop    ${bold(`${at}/`)}`);
  print(`  Admin   ${bold(`${at}/admin`)}`);
  if (settings.demo) print(`  Lab     ${bold(`${at}/lab`)}`);
  if (settings.API_PORT) print(`  API     ${bold(`${localUrl(settings, settings.API_PORT)}/api/v1`)}`);
  const file = shortPath(demoFileOf(settings));
  for (const [index, { slug, operator, apiKey }] of (demo?.tenants ?? []).entries()) {
    if (demo?.isNew) {
      print(
        `${index === 0 ? '\n' : ''}  ${slug.padEnd(8)}${operator.email}  ${operator.password}  ${dim(`API key ${apiKey}`)}`,
      );
    } else if (index === 0) {
      print(`  Login   ${operator.email} ${dim(`(password, and logins for every other role, in ${file})`)}`);
    }
  }
  if (demo?.isNew)
    print(
      dim(
        `\n  These credentials are shown once. They are kept in ${file}, with logins for every other role.`,
      ),
    );
  print(dim('\n  Ctrl-C stops everything.'));
}
