export { createSandbox, type Sandbox } from './sandbox.ts';
export { readSettings, type Settings, SettingsError } from './settings.ts';
