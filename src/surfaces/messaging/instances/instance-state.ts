/**
 * The states of an instance. `desired_state` is set by the user; `state` is the actual state.
 *
 *     created ─connect─▶ connecting ─▶ connected ◀─▶ reconnecting   by itself: growing waits, jitter
 *                          │  ▲            │  └────▶ restricted     the channel limits it; back by itself
 *                          ▼  │            ▼
 *                  action_required     disconnected                 by its user
 *                  (scan, code, link)  failed                       refused, logged out, gave up after 24 h
 *
 * From every state but `created` its user may disconnect it, and connect or restart it, which is `connecting` again. A
 * lost connection is reopened in the state `reconnecting`; `connecting` is the first attempt after a request. A
 * transition requires the lock of the instance's row and writes `instance.state_changed` in the same transaction
 * (instance-change.ts).
 */
export const INSTANCE_STATES = [
  'created',
  'connecting',
  'connected',
  'reconnecting',
  'restricted',
  'action_required',
  'disconnected',
  'failed',
] as const;
export type InstanceState = (typeof INSTANCE_STATES)[number];

export const DESIRED_STATES = ['connected', 'disconnected'] as const;
export type DesiredState = (typeof DESIRED_STATES)[number];

const NEXT: Record<InstanceState, readonly InstanceState[]> = {
  created: ['connecting'],
  connecting: ['connected', 'reconnecting', 'restricted', 'action_required', 'disconnected', 'failed'],
  connected: ['connecting', 'reconnecting', 'restricted', 'action_required', 'disconnected', 'failed'],
  reconnecting: ['connecting', 'connected', 'restricted', 'action_required', 'disconnected', 'failed'],
  restricted: ['connecting', 'connected', 'reconnecting', 'action_required', 'disconnected', 'failed'],
  action_required: ['connecting', 'connected', 'reconnecting', 'restricted', 'disconnected', 'failed'],
  disconnected: ['connecting'],
  failed: ['connecting', 'disconnected'],
};

const mayFollow = (from: InstanceState, to: InstanceState): boolean => NEXT[from].includes(to);

/** @throws Error for a transition missing from the table, which is a programming error */
export function assertMayFollow(from: InstanceState, to: InstanceState): void {
  if (!mayFollow(from, to)) throw new Error(`an instance can't go from ${from} to ${to}`);
}

/**
 * Whether messages for the instance are accepted: they wait for the connection in the queue, at most for
 * `queue_ttl_seconds`.
 */
export const takesMessages = (state: InstanceState): boolean =>
  state !== 'created' && state !== 'disconnected' && state !== 'failed';
