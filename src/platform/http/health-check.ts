/** A health check. Fails by throwing; `degraded` still serves. */
export type Check = () => Promise<'ok' | 'degraded'> | 'ok' | 'degraded';
