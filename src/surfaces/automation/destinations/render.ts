/** Renders all templates of several destinations in one call and builds messages from the results. */
import type { DestinationObject } from './destination.schema.ts';
import type { Rendered, Template } from '../../../platform/templates/templates.ts';
import { destinationBody, type DestinationOutcome } from './destination-body.ts';
import { getDestinationTemplates } from './destination-templates.ts';

export interface DestinationsPlan {
  /** Templates to render in one call, possibly together with others. */
  templates: Template[];
  /**
   * Builds the messages.
   * @param rendered results of `templates`, in the same order
   * @returns a message or its field errors for each destination, in order
   */
  read(rendered: readonly Rendered[]): DestinationOutcome[];
}

export function planDestinations(
  destinations: readonly DestinationObject[],
  shortenLinks: boolean,
): DestinationsPlan {
  const each = destinations.map((destination) =>
    getDestinationTemplates(destination).map(({ template }) => template),
  );
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
