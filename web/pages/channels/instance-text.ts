/** The states of an instance as colours and words, for every place that shows them. */
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

/** `action_required` → "action required". */
export const stateWord = (state: State): string => state.replaceAll('_', ' ');

/** Why, as people say it; words that are not known are shown as they are. */
const REASONS: Record<string, string> = {
  user: 'by hand',
  restarted: 'restarted by hand',
  changed: 'its settings were changed',
  api_key_revoked: 'the API key that created it was revoked',
  api_key_expired: 'the API key that created it expired',
  member_removed: 'the member who created it was removed',
  logged_out: 'logged out',
  refused: 'refused by the channel',
  gave_up: 'given up after 24 hours of failures',
  lost: 'the connection was lost',
  moved: 'taken over by another node',
  pairing_qr: 'a QR code is to be scanned',
  pairing_code: 'a code is to be typed',
  pairing_link: 'a link is to be opened',
};

export const reasonWord = (reason: string | null): string | null =>
  reason === null ? null : (REASONS[reason] ?? reason.replaceAll('_', ' '));

/** What its user can do about a state that sends nothing, or may soon. */
export interface Advice {
  title: string;
  text: string;
}

export function adviceOf({
  state,
  state_reason: reason,
  last_error: error,
  channel,
}: Instance): Advice | null {
  const said = error ? ` ${error.detail}` : '';
  if (state === 'failed' && reason === 'gave_up')
    return {
      title: 'Given up after 24 hours of nothing but failures',
      text: `The server of the channel could not be reached.${said} Once it can, connect again.`,
    };
  if (state === 'failed' && error?.code === 'authentication_failed')
    return {
      title: 'The channel refused the credentials',
      text: `${error.detail} Give the right ones, and it connects again by itself.`,
    };
  if (state === 'failed')
    return {
      title: 'The channel refused to connect',
      text: `${error?.detail ?? ''} Repair it, and connect again.`,
    };
  if (state === 'reconnecting')
    return {
      title: 'The connection was lost, and is being made anew',
      text: `It is tried with growing waits, up to 5 minutes. What is sent meanwhile waits in the queue.${said}`,
    };
  if (state === 'disconnected')
    return {
      title: 'Disconnected',
      text: 'Messages are refused until it is connected again. What waits in the queue stays there for its time.',
    };
  if (state === 'created')
    return {
      title: 'Not connected yet',
      text: `It is set up for ${channel}. Connect it to send and receive.`,
    };
  return null;
}
