/** Validates instance input of callers against the channel: settings, credentials, and the hosts in them. */
import type { TObject } from 'typebox';
import type { Egress } from '../../../platform/egress/egress.ts';
import { type FieldError, invalid, Problem } from '../../../platform/http/problem.ts';
import { compileValidator, nearMatch } from '../../../platform/http/validation.ts';
import { type Driver } from '../../../channels/contract/driver.ts';
import { InvalidAddressError } from '../../../channels/contract/driver-error.ts';
import { type Json } from '../../../channels/contract/json.ts';
import type { Drivers } from '../../../channels/contract/driver-registry.ts';

/**
 * @throws Problem address_not_allowed if connecting to one of the hosts, or to an address it resolves to, is not
 * allowed
 */
export type AssertEndpointsAllowed = (driver: Driver, settings: Json) => Promise<void>;

type Part = 'settings' | 'credentials';
type Validate = ReturnType<typeof compileValidator>;

const validators = new WeakMap<TObject, Validate>();

/** Compiled once for each schema of each driver. */
function getValidator(schema: TObject): Validate {
  const known = validators.get(schema);
  if (known) return known;
  const made = compileValidator(schema, 'body');
  validators.set(schema, made);
  return made;
}

function getErrors(driver: Driver, part: Part, value: unknown): FieldError[] {
  const result = getValidator(driver[part])(value);
  if (!('error' in result)) return [];
  return result.error.errors.map((fault) => ({ ...fault, pointer: `/${part}${fault.pointer}` }));
}

/** @throws Problem invalid_request for an unknown channel */
export function requireDriver(drivers: Drivers, channel: string): Driver {
  const driver = drivers.get(channel);
  if (driver) return driver;
  const names = drivers.all.map((one) => one.channel);
  const detail = nearMatch(channel, names) || `must be one of: ${names.join(', ')}`;
  throw invalid([{ pointer: '/channel', code: 'unknown_channel', detail }]);
}

/** Returns the channel of an existing instance. @throws Problem conflict if this server no longer has it */
export function getDriver(drivers: Drivers, channel: string): Driver {
  const driver = drivers.get(channel);
  if (!driver) throw new Problem('conflict', `This server does not support the channel ${channel}.`);
  return driver;
}

/** @throws Problem invalid_request with all field errors */
export function assertAsTheChannelTakes(
  driver: Driver,
  given: { settings?: unknown; credentials?: unknown },
): void {
  const faults = (['settings', 'credentials'] as const).flatMap((part) =>
    given[part] === undefined ? [] : getErrors(driver, part, given[part]),
  );
  if (faults.length) throw invalid(faults);
}

/**
 * Returns the account's own address if it is known before connecting.
 * @throws Problem unprocessable if it is invalid
 */
export function getOwnAddress(
  driver: Driver,
  input: { name: string; settings: Json; credentials: Json },
): string | null {
  try {
    return driver.ownAddress(input);
  } catch (error) {
    if (!(error instanceof InvalidAddressError)) throw error;
    const { message: detail, pointer } = error;
    throw new Problem('unprocessable', detail, { errors: [{ pointer, code: 'invalid_address', detail }] });
  }
}

const valueAt = (value: Json, pointer: string): unknown =>
  pointer
    .slice(1)
    .split('/')
    .reduce<unknown>(
      (part, name) =>
        part !== null && typeof part === 'object' && Object.hasOwn(part, name)
          ? (part as Record<string, unknown>)[name]
          : undefined,
      value,
    );

/** Returns JSON pointers to settings whose host has changed. */
export const movedHosts = (driver: Driver, before: Json, after: Json): string[] =>
  driver.hostSettings.filter((pointer) => valueAt(before, pointer) !== valueAt(after, pointer));

/**
 * Requires the credentials when an account moves to another host: otherwise anyone who may change the instance could
 * have them sent to their own host.
 * @throws Problem unprocessable
 */
export function assertGivenAgain(moved: readonly string[], credentials: Json): void {
  const isEmpty = credentials === null || typeof credentials !== 'object' || !Object.keys(credentials).length;
  if (!moved.length || isEmpty) return;
  const names = moved.map((pointer) => `/settings${pointer}`).join(', ');
  const detail = `must be given again, since ${names} changes`;
  throw new Problem('unprocessable', `The credentials ${detail}.`, {
    errors: [{ pointer: '/credentials', code: 'required', detail }],
  });
}

export const createAssertEndpointsAllowed =
  (egress: Pick<Egress, 'assertHostAllowed'>): AssertEndpointsAllowed =>
  async (driver, settings) => {
    const checks = driver
      .endpoints(settings)
      .map(({ host, port, pointer }) => egress.assertHostAllowed(host, port, `/settings${pointer}`));
    const fault = (await Promise.allSettled(checks)).find(({ status }) => status === 'rejected');
    if (fault?.status === 'rejected') throw fault.reason;
  };
