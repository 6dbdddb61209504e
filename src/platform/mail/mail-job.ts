/**
 * Mails leave by a job. Its payload is sealed, because a mail may hold a reset link or an invitation: who can read
 * the job's row must not be able to use it.
 */
import { parseOwnJson } from '../json/own-json.ts';
import type { Db } from '../db/database.ts';
import type { SecretBox } from '../crypto/secret-box.ts';
import type { JobQueue } from '../jobs/job-queue.ts';
import type { Log } from '../logging/log.ts';
import { type Mailer, MailError, type MailMessage } from './mailer.ts';

export const MAIL_CONTEXT = 'mail.send';

/**
 * Leaves a mail to be sent; it is, if and only if the given transaction commits.
 * @param whose the workspace whose person's turn it is; or urgent, before all others
 */
export type SendLater = (
  db: Db,
  message: MailMessage,
  whose: { workspaceId: string } | { isUrgent: true },
) => Promise<void>;

export const createSendLater =
  (secrets: SecretBox, jobs: JobQueue): SendLater =>
  (db, message, whose) =>
    jobs.enqueue(db, 'mail.send', { sealed: secrets.seal(JSON.stringify(message), MAIL_CONTEXT) }, whose);

/**
 * Executes the job. Permanent rejections by the mail server are logged and not retried.
 * @throws MailError if a retry may succeed
 */
export async function executeMailJob(
  deps: { secrets: SecretBox; mailer: Mailer; log: Pick<Log, 'error'> },
  { sealed }: { sealed: string },
): Promise<void> {
  const message = parseOwnJson<MailMessage>(deps.secrets.open(sealed, MAIL_CONTEXT));
  try {
    await deps.mailer.send(message);
  } catch (error) {
    if (!(error instanceof MailError) || !error.permanent) throw error;
    deps.log.error({ err: error }, 'mail: permanently rejected, not sent');
  }
}
