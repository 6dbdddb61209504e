/** Prefixes of public IDs that channels see: instance IDs, and message IDs, which double as `clientId`. */
export const INSTANCE_PREFIX = 'ins';
export const MESSAGE_PREFIX = 'msg';
