/** Settings and credentials of sandbox instances. */
import Type from 'typebox';
import type { Json } from '../../contract/json.ts';

export const PAIRINGS = ['none', 'qr', 'code'] as const;
const DEFAULT_PAIRING_SECONDS = 5;

export const SandboxSettings = Type.Object(
  {
    pairing: Type.Optional(
      Type.Enum([...PAIRINGS], {
        description:
          'How the account is paired when it connects for the first time, like an app on a phone: with a QR code, with a code to type, or not at all.',
        default: 'none',
        examples: ['qr'],
      }),
    ),
    pairing_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 600,
        description: 'With pairing: seconds after which it completes automatically; 0 for never.',
        default: DEFAULT_PAIRING_SECONDS,
        examples: [DEFAULT_PAIRING_SECONDS],
      }),
    ),
    replies: Type.Optional(
      Type.Boolean({
        description: 'Whether scripted contacts reply. If not, they only receive and read.',
        default: true,
        examples: [true],
      }),
    ),
  },
  { additionalProperties: false },
);

export const SandboxCredentials = Type.Object(
  {
    password: Type.Optional(
      Type.String({
        maxLength: 200,
        format: 'password',
        description:
          'Optional. Any password works except `wrong`, which is rejected so that you can try out failures.',
        examples: ['secret'],
      }),
    ),
  },
  { additionalProperties: false },
);

export interface Settings {
  pairing: (typeof PAIRINGS)[number];
  pairingSeconds: number;
  replies: boolean;
}

type JsonObject = { [name: string]: Json };
const toObject = (json: Json): JsonObject =>
  json !== null && typeof json === 'object' && !Array.isArray(json) ? json : {};

export function readSettings(json: Json): Settings {
  const {
    pairing = 'none',
    pairing_seconds: seconds = DEFAULT_PAIRING_SECONDS,
    replies = true,
  } = toObject(json);
  return {
    pairing: pairing as Settings['pairing'],
    pairingSeconds: seconds as number,
    replies: replies as boolean,
  };
}

/** Reads the credentials. `session` is set by pairing. */
export function readCredentials(json: Json): { password?: Json; session?: Json; all: JsonObject } {
  const all = toObject(json);
  return { password: all['password'], session: all['session'], all };
}
