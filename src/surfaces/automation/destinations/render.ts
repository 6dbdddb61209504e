/** Rendering destinations: the templates of all of them in one call, and messages from what they made. */
import type { DestinationObject } from '../destination.schema.ts';
import type { Rendered, Template } from '../../../platform/templates/templates.ts';
import { destinationBody, type DestinationOutcome } from './destination-body.ts';
import { templatesOf } from './destination-templates.ts';

export interface DestinationsPlan {
  /** To be rendered by one call, with whatever else. */
  templates: Template[];
  /** @param rendered what they made, in their order. @returns a message or its faults for each destination, in their order */
  read(rendered: readonly Rendered[]): DestinationOutcome[];
}

export function planDestinations(
  destinations: readonly DestinationObject[],
  shortenLinks: boolean,
): DestinationsPlan {
  const each = destinations.map((destination) => templatesOf(destination).map(({ template }) => template));
  return {
    templates: each.flat(),
    read(rendered) {
      let from = 0;
      return destinations.map((destination, nth) => {
        const own = rendered.slice(from, (from += each[nth]!.length));
        return destinationBody(destination, own, shortenLinks);
      });
    },
  };
}
