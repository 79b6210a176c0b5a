/** An operation of the API as the reference shows it. */
export interface ApiOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description?: string | undefined;
  readonly headers: readonly ApiField[];
  readonly parameters: readonly ApiField[];
  readonly body: readonly ApiField[];
  readonly responses: readonly ApiResponse[];
  readonly curl: string;
  /** An example response, as JSON. */
  readonly response: string;
}

export interface ApiField {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly nullable: boolean;
  readonly constraints: readonly string[];
  readonly description: string;
  readonly fields: readonly ApiField[];
}

export interface ApiResponse {
  readonly status: string;
  readonly description: string;
  readonly problem: boolean;
  readonly type?: string | undefined;
  readonly fields: readonly ApiField[];
}
