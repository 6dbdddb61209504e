/** The address that a reader reached this server by, for examples that run from where the reader is. */
import type { FastifyRequest } from 'fastify';
import type { Config } from '../../platform/config/config.ts';

/**
 * BASE_URL where it is set: a proxy in front may end TLS without saying so, and nobody can make the server write
 * documents for ports that he makes up. Else what the request says, which the host separation has already let in.
 */
export function getOrigin(request: FastifyRequest, config: Config): string {
  if (config.baseUrlIsSet || request.host.toLowerCase() === new URL(config.baseUrl).host)
    return config.baseUrl;
  return `${request.protocol === 'https' ? 'https' : 'http'}://${request.host.toLowerCase()}`;
}
