/**
 * The session of one connection of this node: opens, announces, probes and closes it, and stores the outcome. It has no
 * timer: the manager calls `tick` for all.
 *
 * Invariants: the first reason to end wins. Nothing starts after `signal` has aborted. The row is only released after
 * closing, so that the next holder never overlaps. All writes carry the fence.
 */
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';
import type { Egress } from '../../../platform/egress/egress.ts';
import type { Connection } from '../../../channels/contract/connection.ts';
import type { DriverError } from '../../../channels/contract/driver-error.ts';
import type { Json } from '../../../channels/contract/json.ts';
import type { Drivers } from '../../../channels/contract/driver-registry.ts';
import type { IngressReader } from '../ingress/ingress-reader.ts';
import { STABLE_MS } from './backoff.ts';
import { closeConnection } from './closing.ts';
import type { Claimed, ClaimedInstance } from './connection.system-store.ts';
import { FAILING } from './connection.system-store.ts';
import { createContext } from './driver-context.ts';
import { getNextState, type Ending, NO_PAIRING, restrictionColumns } from './ending.ts';
import { unknownChannel } from './errors.ts';
import {
  type ConnectionReceiver,
  type ConnectionSender,
  type ConnectionLease,
  type Holding,
} from './connection-lease.ts';
import { openConnection } from './opening.ts';
import { createProbe } from './probe.ts';
import { createRestriction } from './restriction.ts';
import { createSessionEnd } from './session-end.ts';
import type { Move, Outcome, StateWriter } from './state-writer.ts';
import type { Times } from './times.ts';
import { currentTime } from '../../../platform/time/clock.ts';

export interface SessionDeps {
  drivers: Drivers;
  secrets: SecretBox;
  egress: Egress;
  sender: ConnectionSender;
  receiver: ConnectionReceiver;
  ingress: Pick<IngressReader, 'attach' | 'detach'>;
  writer: StateWriter;
  times: Times;
  log: Record<'debug' | 'warn' | 'error', (details: object, message: string) => void>;
  /** For metrics: an open that ended, a connection that was lost. */
  onOpened: (channel: string, error: DriverError | null) => void;
  onLost: (channel: string, error: DriverError) => void;
}

export interface Session {
  readonly instanceId: string;
  readonly workspaceId: string;
  readonly epoch: number;
  /** Whether it takes a place among those that are opening: one that waits for a person doesn't. */
  isOpening(): boolean;
  /** Whether it has failed repeatedly. */
  readonly isFailing: boolean;
  isUp(): boolean;
  /** Whether it is being closed. */
  isEnding(): boolean;
  /** The user wants it closed or reopened. */
  supersede(logsOut: boolean): void;
  /** The node stops. */
  stop(): void;
  /** Called when the connection no longer belongs to this node. */
  lost(): void;
  /** @param now by the monotonic clock. @returns whether it has just become one that lasts */
  tick(now: number): boolean;
  /** Once it is closed and nothing more is written for it. Never rejects. */
  readonly done: Promise<void>;
}

/** Creates functions that log errors of an instance. */
const createSessionLog = (log: SessionDeps['log'], instance: string, channel: string) => ({
  warn: (error: unknown, message: string): void => log.warn({ instance, channel, err: error }, message),
  failed: (error: unknown): void => log.error({ instance, channel, err: error }, 'a connection failed'),
});

/** Columns of a connection without a fault. */
const HEALTHY = { dueInMs: 0, failingSince: null, wanted: true } as const;

/** @param node under which the connection was taken, and whether it still has its lease */
export function startSession(
  deps: SessionDeps,
  node: { id: string; isHeld: () => boolean },
  claimed: Claimed,
  instance: ClaimedInstance,
): Session {
  const { writer, sender, times, log, onOpened, onLost } = deps;
  const { instance_id: instanceId, workspace_id: workspaceId, epoch } = claimed;
  const driver = deps.drivers.get(instance.channel);
  const startedAt = performance.now();
  let connection: Connection | null = null;
  let upAt: number | null = null;
  let stable = claimed.failures === 0;

  const isOurs = node.isHeld;
  const { warn, failed } = createSessionLog(log, instanceId, instance.channel);
  const ending = createSessionEnd({ isUp: () => upAt !== null, onInternal: failed });
  const { controller, end, fail } = ending;
  const { signal } = controller;

  const settings = instance.settings as Json;
  const holding: Holding = {
    instanceId,
    workspaceId,
    nodeId: node.id,
    epoch,
    driver: driver!,
    settings,
    get capabilities() {
      return driver!.capabilities(settings);
    },
    isHeld() {
      if (signal.aborted) return false;
      if (isOurs()) return true;
      end({ why: 'lost' });
      return false;
    },
    signal,
    lost: () => end({ why: 'lost' }),
  };

  const apply = (outcome: Outcome): boolean => {
    if (outcome.kind === 'lost') end({ why: 'lost' });
    if (outcome.kind === 'superseded') end({ why: 'superseded', logsOut: outcome.logsOut });
    return outcome.kind === 'done';
  };
  const write = async (move: Pick<Move, 'to' | 'change' | 'row'>): Promise<boolean> =>
    apply(await writer.write({ holding, isOurs, ...move }));

  const restriction = createRestriction({ instance, write, times, fail, attach, detach });
  const context = createContext({
    instance,
    holding,
    egress: deps.egress,
    secrets: deps.secrets,
    receiver: deps.receiver,
    position: claimed.position as Json,
    ingressUrl: instance.ingress_token === null ? null : deps.drivers.ingressUrl(instance.ingress_token),
    log,
    write,
    fail,
    isOver: () => ending.reason !== null,
    onLimit: restriction.writeAndReport,
  });
  const probe = createProbe({ times, signal, fail });

  const held = (): ConnectionLease => ({
    ...holding,
    capabilities: holding.capabilities,
    connection: connection!,
    report(fault) {
      if (fault.kind === 'lost' || fault.kind === 'refused') fail(fault);
      if (fault.kind === 'restricted')
        void restriction.writeAndReport({ kind: fault.code, until: fault.until }).catch(fail);
    },
  });
  function attach(): void {
    if (!ending.reason && connection) sender.attach(held());
  }
  function detach(): Promise<void> {
    return sender.detach(instanceId);
  }

  /** The instance says that it is being opened, if it doesn't yet. */
  const begin = async (): Promise<void> => {
    if (!driver) throw unknownChannel(instance.channel);
    const { state } = instance;
    if (state === 'connecting' || state === 'reconnecting' || state === 'restricted') return;
    await write({
      to: { state: state === 'connected' ? 'reconnecting' : 'connecting', reason: 'moved' },
      change: (_from, now) => ({ ...NO_PAIRING, updated_at: now }),
    });
  };

  const announce = async ({ address, profileName }: Connection): Promise<void> => {
    await context.settled();
    const limit = restriction.present();
    const isUp = await write({
      to: limit ? { state: 'restricted', reason: 'restricted' } : { state: 'connected', reason: null },
      change: (_from, now) => ({
        ...(address === null ? {} : { address }),
        ...(profileName === undefined ? {} : { profile_name: profileName }),
        ...restrictionColumns(limit),
        ...NO_PAIRING,
        connected_at: now,
        updated_at: now,
      }),
      row: { ...HEALTHY, releases: false, failures: claimed.failures },
    });
    if (!isUp || ending.reason) return;
    upAt = performance.now();
    probe.start();
    restriction.start();
    if (!limit) attach();
    // Restricted connections still receive.
    deps.ingress.attach({
      instanceId,
      workspaceId,
      channel: instance.channel,
      connection: connection!,
      emit: context.emit,
      signal,
      fail,
    });
  };

  const conclude = async (reason: Ending, loggedOut: boolean): Promise<void> => {
    if (reason.why === 'lost' || reason.why === 'stop' || !isOurs()) return;
    const now = currentTime();
    const lastedMs = upAt === null ? null : performance.now() - upAt;
    if (reason.why === 'superseded') {
      const row = { ...HEALTHY, releases: true, failures: 0, endsLogout: loggedOut };
      await writer.write({ holding, isOurs, to: null, row });
      return;
    }
    (upAt === null ? onOpened : onLost)(instance.channel, reason.error);
    await writer.write({ holding, isOurs, ...getNextState(reason.error, claimed, lastedMs, now) });
  };

  const live = async (): Promise<void> => {
    try {
      await begin();
      if (!ending.reason)
        connection = await openConnection({
          driver: driver!,
          instance,
          secrets: deps.secrets,
          context,
          ending,
          times,
          warn,
        });
      if (connection && !ending.reason) await announce(connection);
      if (upAt !== null) onOpened(instance.channel, null);
    } catch (error) {
      fail(error);
    }
    const reason = await ending.ended;
    const loggedOut = await closeConnection(connection, {
      detach: async () => {
        if (upAt !== null) await Promise.all([detach(), deps.ingress.detach(instanceId)]);
      },
      logsOut: reason.why === 'superseded' && reason.logsOut,
      controller,
      times,
      warn,
    });
    await conclude(reason, loggedOut).catch((error: unknown) =>
      // Its row is found without a runner, and let go of.
      warn(error, 'what became of a connection could not be written'),
    );
  };

  return {
    instanceId,
    workspaceId,
    epoch,
    isFailing: claimed.failures >= FAILING,
    isOpening: () => upAt === null && !context.isPairing(),
    isUp: () => upAt !== null && !ending.reason,
    isEnding: () => ending.reason !== null,
    supersede: (logsOut) => end({ why: 'superseded', logsOut }),
    stop: () => end({ why: 'stop' }),
    lost: () => end({ why: 'lost' }),
    tick(now) {
      if (ending.reason || !holding.isHeld()) return false;
      if (upAt === null) {
        context.tick(now, startedAt, times);
        return false;
      }
      probe.tick(now, connection!);
      restriction.tick();
      if (stable || now - upAt < STABLE_MS) return false;
      stable = true;
      return true;
    },
    done: live(),
  };
}
