/** Labels and colors for the states of an instance. */
import { MAX_COUNTED } from '../../api/unprocessed-updates.ts';
import { formatNumber, t } from '../../copy/text.ts';
import type { Instance } from '../../api/types.ts';

type State = Instance['state'];
export type StateTone = 'good' | 'warn' | 'bad' | 'idle' | 'live';

const TONES: Record<State, StateTone> = {
  created: 'idle',
  connecting: 'live',
  connected: 'good',
  reconnecting: 'warn',
  restricted: 'warn',
  action_required: 'warn',
  disconnected: 'idle',
  failed: 'bad',
};

export const STATES = Object.keys(TONES) as State[];

export const stateTone = (state: State): StateTone => TONES[state];

const LABELS: Record<State, string> = {
  created: t('Created'),
  connecting: t('Connecting'),
  connected: t('Connected'),
  reconnecting: t('Reconnecting'),
  restricted: t('Restricted'),
  action_required: t('Action required'),
  disconnected: t('Disconnected'),
  failed: t('Failed'),
};

export const stateLabel = (state: State): string => LABELS[state];

const REASONS: Record<string, string> = {
  user: t('Requested by a user or API key'),
  restarted: t('Restarted manually'),
  changed: t('Settings changed'),
  api_key_revoked: t('API key of the creator was revoked'),
  api_key_expired: t('API key of the creator expired'),
  member_removed: t('Creator was removed from the workspace'),
  logged_out: t('Logged out'),
  refused: t('Rejected by the channel'),
  gave_up: t('Stopped after 24 hours of failures'),
  lost: t('Connection lost'),
  moved: t('Moved to another node'),
  pairing_qr: t('Waiting for the QR code to be scanned'),
  pairing_code: t('Waiting for the code to be entered'),
  pairing_link: t('Waiting for the link to be opened'),
};

/** Returns the label of a reason. Unknown reasons are shown as sent by the server. */
export const reasonLabel = (reason: string | null): string | null =>
  reason === null ? null : (REASONS[reason] ?? reason.replaceAll('_', ' '));

/** What to do about a state in which the instance can't send. */
export interface Advice {
  title: string;
  text: string;
}

export function getAdvice({ state, state_reason: reason, last_error: error }: Instance): Advice | null {
  const detail = error?.detail ?? '';
  if (state === 'failed' && reason === 'gave_up')
    return {
      title: t('Connection attempts stopped'),
      text: t(
        "Fairlead couldn't reach the channel's server for 24 hours. {detail} Connect again when the server is available.",
        { detail },
      ),
    };
  if (state === 'failed' && error?.code === 'authentication_failed')
    return {
      title: t('The channel rejected the credentials'),
      text: t('{detail} Update the credentials to reconnect automatically.', { detail }),
    };
  if (state === 'failed')
    return {
      title: t('The channel rejected the connection'),
      text: t('{detail} Fix the problem, then connect again.', { detail }),
    };
  if (state === 'reconnecting')
    return {
      title: t('Connection lost. Reconnecting…'),
      text: t(
        'Fairlead retries with increasing delays of up to 5 minutes. New messages wait in the queue. {detail}',
        { detail },
      ),
    };
  if (state === 'disconnected')
    return {
      title: t('Disconnected'),
      text: t(
        'Messages are rejected until you connect again. Queued messages stay in the queue until they expire.',
      ),
    };
  if (state === 'created')
    return {
      title: t('Not connected yet'),
      text: t('Connect this instance to send and receive messages.'),
    };
  return null;
}

/** "3", "1,000+": the API counts up to a limit. */
export const countUnprocessed = ({
  unprocessed_updates: { count },
}: Pick<Instance, 'unprocessed_updates'>): string =>
  `${formatNumber(count)}${count >= MAX_COUNTED ? '+' : ''}`;
