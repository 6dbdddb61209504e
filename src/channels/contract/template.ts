/** Message templates that a channel has approved. */

export const TEMPLATE_STATES = ['approved', 'pending', 'rejected', 'paused', 'disabled'] as const;
export type TemplateState = (typeof TEMPLATE_STATES)[number];

export const TEMPLATE_COMPONENTS = ['header', 'body', 'footer', 'button'] as const;

export interface TemplateComponent {
  readonly kind: (typeof TEMPLATE_COMPONENTS)[number];
  /** `text`, or what a header shows: `image`, `video`, `document`, `location`. */
  readonly format: string;
  readonly text: string | null;
  /** Number of variables. */
  readonly variables: number;
}

export interface ChannelTemplate {
  readonly name: string;
  /** As the channel writes it: `en_US`. */
  readonly language: string;
  readonly category: string | null;
  readonly state: TemplateState;
  /** Why it is not approved. */
  readonly reason: string | null;
  readonly components: readonly TemplateComponent[];
}
