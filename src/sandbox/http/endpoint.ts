import type { z } from 'zod';
import type { FormObject } from './form.ts';
import { readParameters } from './parameters.ts';
import type { ApiResponse, Work } from './response.ts';

/** One endpoint of the API. `prepare` only validates; the function that it returns reads and collects changes. */
export interface Endpoint {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  prepare(form: FormObject, id: string): (work: Work) => Promise<ApiResponse>;
}

export function endpoint<S extends z.ZodType>(
  method: Endpoint['method'],
  path: string,
  parameters: S,
  run: (work: Work, input: z.output<S>, id: string) => Promise<ApiResponse>,
): Endpoint {
  return {
    method,
    path,
    prepare(form, id) {
      const input = readParameters(parameters, form);
      return (work) => run(work, input, id);
    },
  };
}
