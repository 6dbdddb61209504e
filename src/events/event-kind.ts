/**
 * What the catalogue knows of one type of event. A noun declares its own in `<noun>.events.ts`, out of its own
 * schema; this file knows no noun, so that nouns and catalogue don't depend on each other in a circle.
 */
import Type, { type TObject, type TSchema } from 'typebox';
import type { Scope } from '../auth/scopes.ts';
import { exampleOf } from '../http/example.ts';

export const SURFACES = ['getting_started', 'messaging', 'short_links', 'automation'] as const;
export type Surface = (typeof SURFACES)[number];

export interface EventKind {
  surface: Surface;
  /** Who has this scope sees events of this type. */
  scope: Scope;
  /** When it is written: one sentence. */
  description: string;
  /** Shape of the event's `data`. */
  data: TSchema;
  /** A `data` as it may come. */
  sample: { object: object };
  /** Whether it is written only while a webhook, a rule or an open stream wants it (wants.ts). */
  onDemand?: boolean;
}

export interface EventKindOptions {
  surface: Surface;
  scope: Scope;
  description: string;
  /** The object as the API shows it; its examples make the sample. */
  object: TObject;
  /** For updates: `data.previous_attributes`, as in the sample. */
  previous?: object;
  /** What the sample's object has instead of the schema's examples. */
  sample?: object;
  /** Further members of `data`, as `click`. */
  also?: Record<string, TSchema>;
  onDemand?: boolean;
}

/** An event whose `data` is the object that changed, and for updates what its changed fields were. */
export function eventKind({ object, previous, sample, also = {}, ...rest }: EventKindOptions): EventKind {
  const data = Type.Object({
    object: { ...object, description: 'The object after the change, as the API shows it.' },
    ...(previous
      ? {
          previous_attributes: Type.Partial(object, {
            description: 'Of the fields that changed, the values before.',
          }),
        }
      : {}),
    ...also,
  });
  return {
    ...rest,
    data,
    sample: {
      object: { ...(exampleOf(object) as object), ...sample },
      ...(previous ? { previous_attributes: previous } : {}),
      ...Object.fromEntries(Object.entries(also).map(([name, schema]) => [name, exampleOf(schema)])),
    },
  };
}
