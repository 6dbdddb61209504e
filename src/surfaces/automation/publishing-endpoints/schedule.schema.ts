/** Schema of a schedule: a time from the payload, a delay, and quiet hours. */
import Type, { type Static } from 'typebox';
import { inWords } from '../../../platform/http/pattern-words.ts';
import { Nullable, Strict } from '../../../platform/http/schema.ts';

const CLOCK = inWords('^([01][0-9]|2[0-3]):[0-5][0-9]$', 'must be a time from 00:00 to 23:59');

const QuietHours = Strict(
  {
    from: Type.String({ pattern: CLOCK, description: 'Start time.', examples: ['22:00'] }),
    to: Type.String({
      pattern: CLOCK,
      description:
        'End time, on the next day if not after `from`. Publications due within quiet hours wait until then.',
      examples: ['07:00'],
    }),
    time_zone: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'An IANA time zone.',
      examples: ['Europe/Berlin'],
    }),
  },
  { title: 'QuietHours' },
);

const At = Type.String({ minLength: 1, maxLength: 2_000 });
const AT = {
  default: null,
  description:
    'A Liquid template that renders an RFC 3339 timestamp or Unix time in seconds, up to a year ahead. A past time or an empty text means immediately.',
  examples: ['{{ payload.publish_at }}'],
};
const Delay = Type.Integer({
  minimum: 0,
  maximum: 30 * 86_400,
  default: 0,
  description: 'Delay in seconds after `at` or, without it, after receipt.',
  examples: [0],
});
const QUIET = { default: null, description: 'When nothing is published.', examples: [null] };

export const ScheduleInput = Strict(
  {
    at: Type.Optional(Nullable(At, AT)),
    delay_seconds: Type.Optional(Delay),
    quiet_hours: Type.Optional(Nullable(QuietHours, QUIET)),
  },
  { description: 'When it is published.' },
);

export const Schedule = Type.Object(
  { at: Nullable(At, AT), delay_seconds: Delay, quiet_hours: Nullable(QuietHours, QUIET) },
  { title: 'PublishingSchedule' },
);

export type ScheduleObject = Static<typeof Schedule>;
