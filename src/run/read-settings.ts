import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseSettings, type Settings, SettingsError } from '#server/env.ts';
import { checkout, inCheckout } from './checkout.ts';
import { describe, PlainError } from './plain-error.ts';

// The environment takes precedence over .env. DATA_DIR is returned as an absolute path.
export function readSettings(): Settings {
  const file = inCheckout('.env');
  try {
    if (existsSync(file)) process.loadEnvFile(file);
    const settings = parseSettings(process.env);
    return { ...settings, DATA_DIR: path.resolve(checkout, settings.DATA_DIR) };
  } catch (error) {
    if (error instanceof SettingsError) throw new PlainError(error.message);
    throw new PlainError(`The settings in ${file} could not be read: ${describe(error)}`);
  }
}
