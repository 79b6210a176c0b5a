export const templateDatabase = 'paidonce_template';

declare module 'vitest' {
  export interface ProvidedContext {
    postgresUrl: string;
  }
}
