/** Prefixes of the public IDs that reach channels: of instances, and of messages, whose ID is their `clientId`. */
export const INSTANCE_PREFIX = 'ins';
export const MESSAGE_PREFIX = 'msg';
