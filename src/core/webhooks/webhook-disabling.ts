/**
 * Disables a webhook automatically: its receiver responded 410, or only failures occurred for days. Reported by an
 * event, and by mail to owners and admins if mail is configured.
 */
import type { Unit } from '../unit/unit-of-work.ts';
import { publicId } from '../vocabulary/ids.ts';
import { consoleLink } from '../../platform/mail/console-link.ts';
import type { SendLater } from '../../platform/mail/mail-job.ts';
import { addressesOfMembers, nameOfWorkspace } from '../../platform/mail/recipients.system-store.ts';
import { webhookDisabledMail } from '../../platform/mail/templates.ts';
import { lockWebhook, type WebhookRow } from './webhook.store.ts';
import { changeWebhook, disabledBy } from './webhook-change.ts';

export type SystemReason = 'gone' | 'failing';

export interface DisablingDeps {
  /** Origin of the console. */
  baseUrl: string;
  /** Null where no mail is sent. */
  sendLater: SendLater | null;
}

async function sendDisabledMail(
  unit: Unit,
  { baseUrl, sendLater }: DisablingDeps,
  row: WebhookRow,
  reason: SystemReason,
): Promise<void> {
  const workspace = sendLater && (await nameOfWorkspace(unit.db, row.workspace_id));
  if (!sendLater || !workspace) return;
  const content = webhookDisabledMail({
    workspaceName: workspace.name,
    // Path and query may hold a credential of the receiver.
    host: new URL(row.url).host,
    reason,
    link: consoleLink(baseUrl, workspace.slug, `webhooks/${publicId('webhook', row.id)}`),
  });
  for (const to of await addressesOfMembers(unit.db, row.workspace_id, ['owner', 'admin']))
    await sendLater(unit.db, { to, ...content }, { workspaceId: row.workspace_id });
}

/**
 * Disables a webhook, cancels its pending deliveries, and emits the event.
 * @param unit a transaction without a lock on the webhook's endpoint: the webhook's row is locked first
 * @param attemptedAt start of the attempt that led to this. A later change of the webhook, such as its URL, may have
 *   fixed it: then the next attempt decides.
 * @returns false if it is already disabled or deleted, or was changed since; nothing is written then
 */
export type DisableBySystem = (
  unit: Unit,
  workspaceId: string,
  webhookId: string,
  reason: SystemReason,
  attemptedAt: Date,
) => Promise<boolean>;

export const createDisableBySystem =
  (deps: DisablingDeps): DisableBySystem =>
  async (unit, workspaceId, webhookId, reason, attemptedAt) => {
    const row = await lockWebhook(unit.db, workspaceId, webhookId);
    if (!row?.enabled || row.updated_at > attemptedAt) return false;
    const after = await changeWebhook(unit, row, disabledBy(reason, unit.clock()));
    await sendDisabledMail(unit, deps, after, reason);
    return true;
  };
