/** Which events can be about a contact, and are emptied when it is erased. */

/**
 * The first parts of event types that may be erased. Rules, endpoints and instances belong to the workspace; their work
 * for a contact does not.
 */
export const ERASABLE_NOUNS = ['contact', 'message', 'chat', 'group', 'link', 'publication'] as const;
/** Their runs hold the event that started them. */
export const RUN_TYPES = ['rule.run', 'rule.failed'] as const;

export const isErasable = (type: string): boolean =>
  (ERASABLE_NOUNS as readonly string[]).includes(type.split('.', 1)[0]!) ||
  (RUN_TYPES as readonly string[]).includes(type);
