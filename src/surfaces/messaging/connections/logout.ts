/**
 * Ends an account's session at the channel without an open connection: opens one with the credentials of the session,
 * logs out, and closes it. The instance keeps the state that its user set.
 *
 * Retried some times, or once if the user wants to connect again; then `last_error` reports the failure. If the channel
 * rejects the credentials or wants to pair, there is no session any more.
 */
import { type Connection } from '../../../channels/contract/connection.ts';
import { type DriverContext } from '../../../channels/contract/driver.ts';
import { DriverError } from '../../../channels/contract/driver-error.ts';
import { openCredentials } from '../instances/instance-secrets.ts';
import { backoffMs } from './backoff.ts';
import { closeConnection, endSession } from './closing.ts';
import { type Claimed, type ClaimedInstance, FAILING } from './connection.system-store.ts';
import { createContext } from './driver-context.ts';
import { errorColumns, toDriverError } from './ending.ts';
import { openTimeout, unknownChannel, unreadable } from './errors.ts';
import { type Holding, HoldingLost } from './connection-lease.ts';
import type { Session, SessionDeps } from './session.ts';
import { settleWithin } from '../../../platform/time/timeout.ts';

const MAX_TRIES = 8;
/** Errors of our own: the channel was not asked. */
const OUR_OWN = new Set(['channel_unavailable', 'credentials_unreadable']);

/** Starts a logout, which replaces a runner but is never up. @param claimed a connection with `logs_out` */
export function startLogout(
  deps: SessionDeps,
  node: { id: string; isHeld: () => boolean },
  claimed: Claimed,
  instance: ClaimedInstance,
): Session {
  const { writer, times, log } = deps;
  const { instance_id: instanceId, workspace_id: workspaceId, epoch } = claimed;
  const driver = deps.drivers.get(instance.channel);
  const controller = new AbortController();
  const { signal } = controller;
  const about = { instance: instanceId, channel: instance.channel };
  const settings = instance.settings as Holding['settings'];
  let connection: Connection | null = null;
  let isOver = false;
  /** An error that the channel reported during opening, instead of a response. */
  let told: DriverError | null = null;
  let hasNoSession = false;

  const leave = (): void => {
    isOver = true;
    controller.abort();
  };
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
    isHeld: () => !signal.aborted && node.isHeld(),
    signal,
    lost: leave,
  };
  const context = createContext({
    instance,
    holding,
    egress: deps.egress,
    secrets: deps.secrets,
    receiver: deps.receiver,
    position: claimed.position as Holding['settings'],
    ingressUrl: null,
    log,
    write: async () => true,
    fail(error) {
      told ??= toDriverError(error);
      controller.abort();
    },
    isOver: () => isOver,
    onLimit: async () => {},
  });

  /** @returns whether there is no session any more. @throws the error that keeps it from ending */
  const logOut = async (): Promise<boolean> => {
    if (!driver) throw unknownChannel(instance.channel);
    const sealed = claimed.logout_credentials_sealed ?? instance.credentials_sealed;
    let given: Holding['settings'];
    try {
      given = openCredentials(deps.secrets, { ...instance, credentials_sealed: sealed });
    } catch (error) {
      throw unreadable(error);
    }
    const forThisAlone: DriverContext = {
      ...context.of(given, signal),
      // If pairing is required there is no session; its credentials have already been removed.
      pairing(step) {
        if (step === null) return;
        hasNoSession = true;
        controller.abort();
      },
      saveCredentials: async () => {},
    };
    const opening = driver.open(forThisAlone).then((made) => {
      if (!isOver) return (connection = made);
      void made.close().catch((err: unknown) => log.warn({ ...about, err }, 'it could not be closed'));
      return made;
    });
    const stopped = new Promise<null>((resolve) => {
      signal.addEventListener('abort', () => resolve(null), { once: true });
    });
    opening.catch(() => undefined);
    const made = await settleWithin(Promise.race([opening, stopped]), times.openMs);
    if (hasNoSession) return true;
    if (told !== null) throw told;
    if (!made) throw signal.aborted ? new HoldingLost() : openTimeout(times.openMs);
    if (!(await endSession(made, times)))
      throw new DriverError('lost', 'logout_timeout', 'The channel did not respond in time.');
    return true;
  };

  const conclude = async (error: DriverError | null): Promise<void> => {
    const tries = claimed.failures + 1;
    const isGivenUp = error !== null && (claimed.wanted || tries >= MAX_TRIES);
    const goesOn = error !== null && !isGivenUp;
    if (error) log.warn({ ...about, err: error, tries }, 'the session at the channel was not ended');
    await writer.write({
      holding,
      isOurs: node.isHeld,
      inAnyCase: true,
      to: null,
      ...(isGivenUp
        ? {
            change: (_from, now) => ({
              ...errorColumns(error, now),
              last_error_code: 'logout_failed',
              updated_at: now,
            }),
          }
        : {}),
      row: {
        releases: true,
        dueInMs: goesOn ? backoffMs(tries) : 0,
        failures: goesOn ? tries : 0,
        failingSince: null,
        wanted: null,
        endsLogout: !goesOn,
      },
    });
  };

  const live = async (): Promise<void> => {
    let error: DriverError | null = null;
    let isLeft = false;
    try {
      await logOut();
    } catch (thrown) {
      isLeft = thrown instanceof HoldingLost;
      const fault = toDriverError(thrown);
      if (fault.code === 'internal') log.error({ ...about, err: thrown }, 'a session could not be ended');
      if (fault.kind !== 'refused' || OUR_OWN.has(fault.code)) error = fault;
    }
    isOver = true;
    await closeConnection(connection, {
      detach: () => Promise.resolve(),
      logsOut: false,
      controller,
      times,
      warn: (err, message) => log.warn({ ...about, err }, message),
    });
    // Another node does it if this one stops or loses the connection.
    if (isLeft || !node.isHeld()) return;
    await conclude(error).catch((err: unknown) =>
      // The manager finds its row without a runner and releases it, so it is retried.
      log.warn({ ...about, err }, 'what became of a session could not be written'),
    );
  };

  return {
    instanceId,
    workspaceId,
    epoch,
    isFailing: claimed.failures >= FAILING,
    isOpening: () => !isOver,
    isUp: () => false,
    isEnding: () => isOver,
    // The new desired state is applied afterwards.
    supersede() {},
    stop: leave,
    lost: leave,
    tick(): boolean {
      if (!node.isHeld()) leave();
      return false;
    },
    done: live(),
  };
}
