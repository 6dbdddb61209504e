/**
 * Edits of existing objects. Each edit names the version that it is based on, so that it never overwrites another
 * user's edit.
 */
import { t } from '../copy/text.ts';
import { ApiProblem } from './problem.ts';

const PRECONDITION_FAILED = 412;

/** Whether the server refused an edit because the object has changed since it was read. */
export const isOutdated = (error: unknown): boolean =>
  error instanceof ApiProblem && error.status === PRECONDITION_FAILED;

/** The same refusal, where the console sees the change before the server does. */
export const outdated = (): ApiProblem =>
  new ApiProblem({
    status: PRECONDITION_FAILED,
    code: 'precondition_failed',
    title: t('Someone else changed this in the meantime'),
    detail: t('Reload to see their changes. Fields that you edited keep your input.'),
  });
