/** What an instance of the sandbox is set to. */
import Type from 'typebox';
import type { Json } from '../contract/json.ts';

export const PAIRINGS = ['none', 'qr', 'code'] as const;
const DEFAULT_PAIRING_SECONDS = 5;

export const SandboxSettings = Type.Object(
  {
    pairing: Type.Optional(
      Type.Enum([...PAIRINGS], {
        description:
          'How the account is paired at its first connect, as with an app on a phone: by a QR code, by a code to type, or not at all.',
        default: 'none',
        examples: ['qr'],
      }),
    ),
    pairing_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 600,
        description: 'After how many seconds the pairing is done by itself; 0: never.',
        default: DEFAULT_PAIRING_SECONDS,
        examples: [DEFAULT_PAIRING_SECONDS],
      }),
    ),
    replies: Type.Optional(
      Type.Boolean({
        description: 'Whether scripted contacts answer; where not, they only receive and read.',
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
        description: 'Any will do but `wrong`, which is refused: for trying out what happens then.',
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

/** `session` is what pairing gave. */
export function readCredentials(json: Json): { password?: Json; session?: Json; all: JsonObject } {
  const all = toObject(json);
  return { password: all['password'], session: all['session'], all };
}
