import { TextField } from '#ui/text-field.tsx';

/** For what takes the second factor as well as the password. */
export function CodeField({ id }: { id: string }) {
  return (
    <TextField
      id={id}
      name="code"
      label="Code from your authenticator app"
      hint="Or one of your backup codes, which is then used up."
      autoComplete="one-time-code"
    />
  );
}

export function readCode(form: FormData): string {
  return String(form.get('code') ?? '').replaceAll(/\s/g, '');
}
