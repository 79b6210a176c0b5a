import type { ComponentProps } from 'react';
import { controlStyle, Field, type FieldProps } from './field.tsx';

export function TextArea(props: FieldProps & Omit<ComponentProps<'textarea'>, 'id'>) {
  const { id, label, hint, error, ...area } = props;
  return (
    <Field id={id} label={label} hint={hint} error={error}>
      {(control) => <textarea {...control} rows={3} className={`${controlStyle} py-3`} {...area} />}
    </Field>
  );
}
