// The error of a request that fails.

/** @import * as Messages from '../messages.d.ts' */

export class ApiError extends Error {
  /**
   * `status` is 0 if there was no answer; `data` is what else the server answered, an etag for example.
   * @param {number} status
   * @param {Messages.Error['error']} error
   */
  constructor(status, { kind, message, ...data }) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.kind = kind;
    this.data = data;
  }
}

/** Return the status of a failed request, or undefined if the error is another one. */
export const statusOf = (/** @type {unknown} */ error) => (error instanceof ApiError ? error.status : undefined);
