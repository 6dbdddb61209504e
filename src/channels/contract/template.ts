/** Message templates of an account, with the state of their approval by the channel. */

export const TEMPLATE_STATES = ['approved', 'pending', 'rejected', 'paused', 'disabled'] as const;
export type TemplateState = (typeof TEMPLATE_STATES)[number];

export const TEMPLATE_COMPONENTS = ['header', 'body', 'footer', 'button'] as const;

export interface TemplateComponent {
  readonly kind: (typeof TEMPLATE_COMPONENTS)[number];
  /** `text`, or for headers `image`, `video`, `document` or `location`. */
  readonly format: string;
  readonly text: string | null;
  /** Number of variables. */
  readonly variables: number;
}

export interface ChannelTemplate {
  readonly name: string;
  /** Language code of the channel: `en_US`. */
  readonly language: string;
  readonly category: string | null;
  readonly state: TemplateState;
  /** Why the template is not approved. */
  readonly reason: string | null;
  readonly components: readonly TemplateComponent[];
}
