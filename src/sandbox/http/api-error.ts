/*
 * Stripe's error objects. An ApiError means that nothing was done: the changes of the endpoint are dropped. A decline is
 * not an ApiError, because a declined confirm changes the intent.
 */
export interface ErrorBody {
  type: 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error';
  message: string;
  code?: string;
  doc_url?: string;
  request_log_url?: string;
  param?: string;
  decline_code?: string;
  charge?: string;
  payment_intent?: object;
  payment_method?: object;
}

export class ApiError extends Error {
  readonly status: number;
  readonly body: ErrorBody;

  constructor(status: number, body: ErrorBody) {
    super(body.message);
    this.status = status;
    this.body = withDocUrl(body);
  }
}

export function withDocUrl<T extends { code?: string }>(body: T): T {
  if (body.code === undefined) return body;
  return { ...body, doc_url: `https://stripe.com/docs/error-codes/${body.code.replaceAll('_', '-')}` };
}

/** The body of an error response. At Stripe the address leads to the request in the dashboard. */
export function errorBody<T extends object>(
  error: T,
  call: { requestId: string | null; nowMs: number },
): { error: T & { request_log_url?: string } } {
  if (call.requestId === null) return { error };
  const time = Math.floor(call.nowMs / 1000);
  const request_log_url = `https://dashboard.stripe.com/test/logs/${call.requestId}?t=${time}`;
  return { error: { ...error, request_log_url } };
}

export function invalidRequest(message: string, details: Pick<ErrorBody, 'code' | 'param'> = {}): ApiError {
  return new ApiError(400, { type: 'invalid_request_error', message, ...details });
}

/** 404 when the path names the missing object, 400 when a parameter does, as at Stripe. */
export function noSuch(kind: string, id: string, param: string, status: 400 | 404 = 404): ApiError {
  return new ApiError(status, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    message: `No such ${kind}: '${id}'`,
    param,
  });
}

export function unrecognizedUrl(method: string, path: string): ApiError {
  const message = `Unrecognized request URL (${method}: ${path}).`;
  return new ApiError(404, { type: 'invalid_request_error', message });
}

export function unexpectedState(message: string, intent: object): ApiError {
  return new ApiError(400, {
    type: 'invalid_request_error',
    code: 'payment_intent_unexpected_state',
    message,
    payment_intent: intent,
  });
}

export function keyReusedWithOtherParameters(key: string): ApiError {
  return new ApiError(400, {
    type: 'idempotency_error',
    message: `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
  });
}

export function keyReusedOnOtherEndpoint(key: string, now: string, first: string): ApiError {
  return new ApiError(400, {
    type: 'idempotency_error',
    message: `Keys for idempotent requests can only be used for the same endpoint they were first used for ('${now}' vs '${first}'). Try using a key other than '${key}' if you meant to execute a different request.`,
  });
}

export function keyInUse(key: string): ApiError {
  return new ApiError(409, {
    type: 'invalid_request_error',
    code: 'idempotency_key_in_use',
    message: `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}. Please try again later.`,
  });
}

export function rateLimited(): ApiError {
  return new ApiError(429, {
    type: 'invalid_request_error',
    code: 'rate_limit',
    message:
      'Request rate limit exceeded. Learn more about rate limits here https://stripe.com/docs/rate-limits.',
  });
}

export function lockTimeout(): ApiError {
  return new ApiError(429, {
    type: 'invalid_request_error',
    code: 'lock_timeout',
    message:
      'This object cannot be accessed right now because another API request or Stripe process is currently accessing it. If you see this error intermittently, retry the request. If you see this error frequently and are making multiple concurrent requests to a single object, make your requests serially or at a lower rate. For more details, see https://stripe.com/docs/rate-limits#object-lock-timeouts.',
  });
}

export function internalError(): ApiError {
  return new ApiError(500, {
    type: 'api_error',
    message: 'An unknown error occurred. Please try again or contact support with your request id.',
  });
}

export function unavailable(): ApiError {
  return new ApiError(503, { type: 'api_error', message: 'The service is temporarily unavailable.' });
}

// PostgreSQL's codes for text that it cannot store; in practice the text contains a NUL.
const UNSTORABLE_TEXT = new Set(['22021', '22P05']);

/** The error that the caller receives, or undefined when the failure is a bug of the sandbox. */
export function asApiError(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error;
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && UNSTORABLE_TEXT.has(String(error.code))) {
    return invalidRequest('The request contains characters that are not allowed.', {
      code: 'invalid_characters',
    });
  }
  // Fastify's own errors (a JSON body, a body that is too large) have a status.
  if ('statusCode' in error && typeof error.statusCode === 'number' && error.statusCode < 500) {
    return invalidRequest(error.message);
  }
  return undefined;
}
