/** The address that a reader reached this server by, for examples that run from where the reader is. */
import type { FastifyRequest } from 'fastify';
import type { Config } from '../../platform/config/config.ts';

/**
 * Returns BASE_URL if set: a proxy may terminate TLS without saying so, and a caller must not be able to make the
 * server write documents for arbitrary ports. Otherwise the origin of the request, which the host separation has
 * already accepted.
 */
export function getOrigin(request: FastifyRequest, config: Config): string {
  if (config.baseUrlIsSet || request.host.toLowerCase() === new URL(config.baseUrl).host)
    return config.baseUrl;
  return `${request.protocol === 'https' ? 'https' : 'http'}://${request.host.toLowerCase()}`;
}
