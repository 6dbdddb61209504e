/** The payload of one event type: its schema and a sample. A noun declares its own in `<noun>.events.ts`. */
import Type, { type TObject, type TSchema } from 'typebox';
import { getExample } from '../../platform/http/example.ts';

export interface EventKind {
  /** When it is written: one sentence. */
  description: string;
  /** Shape of the event's `data`. */
  data: TSchema;
  /** A `data` as it may come. */
  sample: { object: object };
}

export interface EventKindOptions {
  description: string;
  /** The object as the API shows it; its examples make the sample. */
  object: TObject;
  /** For updates: `data.previous_attributes`, as in the sample. */
  previous?: object;
  /** Members of the sample's object that differ from the schema's examples. */
  sample?: object;
  /** Further members of `data`, as `click`. */
  also?: Record<string, TSchema>;
}

/** An event with the changed object as `data`, and for updates the previous values of its changed fields. */
export function eventKind({ description, object, previous, sample, also = {} }: EventKindOptions): EventKind {
  const data = Type.Object({
    object: { ...object, description: 'The object after the change, as returned by the API.' },
    ...(previous
      ? {
          previous_attributes: Type.Partial(object, {
            description: 'Previous values of the changed fields.',
          }),
        }
      : {}),
    ...also,
  });
  return {
    description,
    data,
    sample: {
      object: { ...(getExample(object) as object), ...sample },
      ...(previous ? { previous_attributes: previous } : {}),
      ...Object.fromEntries(Object.entries(also).map(([name, schema]) => [name, getExample(schema)])),
    },
  };
}
