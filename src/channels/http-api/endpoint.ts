/** Where a URL of the settings leads, for `Driver.endpoints`. */

/** @param pointer to the URL in the settings */
export function toEndpoint(url: string, pointer: string): { host: string; port: number; pointer: string } {
  const { protocol, hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) || (protocol === 'https:' ? 443 : 80), pointer };
}
