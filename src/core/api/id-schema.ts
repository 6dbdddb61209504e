/** TypeBox parts of public IDs. */
import Type from 'typebox';
import { ID_SUFFIX } from '../../platform/http/ids.ts';
import { Strict, toPascalCase } from '../../platform/http/schema.ts';
import { ID_PREFIXES, type IdKind } from '../vocabulary/nouns.ts';

const EXAMPLE_SUFFIX = '01h2xcejqtf2nbrexx3vqjhp41';

export const exampleId = (kind: IdKind): string => `${ID_PREFIXES[kind]}_${EXAMPLE_SUFFIX}`;

const describeId = (kind: IdKind): string =>
  `ID of the ${kind.replaceAll('_', ' ').replace('api ', 'API ')}.`;

/** The public ID of a kind of object. */
export const Id = (kind: IdKind, description = describeId(kind)) =>
  Type.String({
    pattern: `^${ID_PREFIXES[kind]}_${ID_SUFFIX}$`,
    description,
    examples: [exampleId(kind)],
  });

/** The fields that every object has, for spreading into `Type.Object`. */
export const objectFields = <const O extends string>(kind: IdKind, object: O) => ({
  id: Id(kind),
  object: Type.Literal(object, { description: 'The type of the object.', examples: [object] }),
});

/** A path with one ID in it. A parameter's title names it under the document's components, where it is shared. */
export const IdParams = (kind: IdKind) =>
  Strict({
    id: Type.String({
      title: `${toPascalCase(kind)}Id`,
      maxLength: 100,
      description: describeId(kind),
      examples: [exampleId(kind)],
    }),
  });
