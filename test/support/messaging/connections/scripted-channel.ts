/** A channel whose server is scripted by the test: it opens, refuses, drops, is deaf, pairs. */
import Type from 'typebox';
import type { Connection } from '../../../../src/channels/contract/connection.ts';
import type { Driver, DriverContext } from '../../../../src/channels/contract/driver.ts';
import type { IngressPart } from '../../../../src/channels/contract/ingress.ts';
import type { DriverError } from '../../../../src/channels/contract/driver-error.ts';

/** A connection as the channel's server sees it. */
export interface Session {
  instanceId: string;
  context: DriverContext;
  /** The server ends it. */
  drop(error: DriverError): void;
  isLoggedOut: boolean;
}

export interface ScriptedChannel {
  driver: Driver;
  /** Open by now. */
  sessions: Set<Session>;
  /** Calls of `open`, and when they came. */
  opens: { instanceId: string; at: number }[];
  /** The most sessions that one instance ever had at once. */
  max: number;
  /** What happens within `open`, before it has a session. Opens at once unless replaced. */
  onOpen: (context: DriverContext) => Promise<void> | void;
  onProbe: (session: Session, signal: AbortSignal) => Promise<void> | void;
  onReceive: (session: Session, parts: readonly IngressPart[]) => Promise<void> | void;
  onClose: (session: Session) => Promise<void> | void;
  /** The instances whose account was logged out. */
  loggedOut: string[];
  getSessions(instanceId: string): Session[];
}

export function createScriptedChannel(address: (instanceId: string) => string | null): ScriptedChannel {
  const open = async (context: DriverContext): Promise<Connection> => {
    const { instanceId } = context;
    channel.opens.push({ instanceId, at: performance.now() });
    await channel.onOpen(context);
    const session: Session = { instanceId, context, drop: context.ended, isLoggedOut: false };
    channel.sessions.add(session);
    channel.max = Math.max(channel.max, channel.getSessions(instanceId).length);
    return {
      address: address(instanceId),
      send: () => Promise.reject(new Error('nothing is sent here')),
      receive: async (parts) => channel.onReceive(session, parts),
      probe: async (signal) => channel.onProbe(session, signal),
      async logout() {
        channel.loggedOut.push(instanceId);
      },
      async close() {
        await channel.onClose(session);
        channel.sessions.delete(session);
      },
    };
  };
  const channel: ScriptedChannel = {
    driver: {
      channel: 'scripted',
      title: 'Scripted',
      description: 'For tests.',
      credentials: Type.Object({}),
      settings: Type.Object({}),
      hostSettings: [],
      resend: 'deduplicated',
      ackTimeoutMs: 1_000,
      pairs: true,
      capabilities: () => ({
        types: { text: { text: 1_000 } },
        operations: [],
        pacing: { perSecond: null, perChat: null, concurrency: 10 },
        limits: { editWithin: null, revokeWithin: null, groupMembers: null },
      }),
      ownAddress: () => null,
      normalizeAddress: (given) => given,
      endpoints: () => [],
      open,
    },
    sessions: new Set(),
    opens: [],
    max: 0,
    onOpen() {},
    onProbe() {},
    onReceive() {},
    onClose() {},
    loggedOut: [],
    getSessions: (instanceId) => [...channel.sessions].filter((one) => one.instanceId === instanceId),
  };
  return channel;
}
