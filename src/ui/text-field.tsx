import type { ComponentProps } from 'react';
import { controlStyle, Field, type FieldProps } from './field.tsx';

export type TextFieldProps = FieldProps & Omit<ComponentProps<'input'>, 'id'>;

export function TextField({ id, label, hint, error, ...input }: TextFieldProps) {
  return (
    <Field id={id} label={label} hint={hint} error={error}>
      {(control) => <input {...control} className={`${controlStyle} min-h-12`} {...input} />}
    </Field>
  );
}
