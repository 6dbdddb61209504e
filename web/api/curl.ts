/** Builds the cURL command for a call, ready to paste into a POSIX shell. */

export interface CallExample {
  method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Path under `/api/v1`, with its query. */
  path: string;
  body?: unknown;
  /** Whether to stream the response. */
  stream?: boolean;
  /** Name of the file that the answer is written to. */
  output?: string;
}

/** Placeholder for an unknown key; the shell fills it in. */
const KEY_VARIABLE = '$FAIRLEAD_API_KEY';

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * @param key the secret to show; by default a shell variable stands in its place.
 * @param origin address of this server; by default the console's own origin.
 */
export function curlFor(call: CallExample, key?: string, origin: string = window.location.origin): string {
  const address = `${origin}/api/v1${call.path}`;
  const lines = [
    `curl ${call.stream ? '-N ' : ''}${call.method === 'GET' ? '' : call.method === 'HEAD' ? '-I ' : `-X ${call.method} `}${/[^\w:/.-]/.test(address) ? quote(address) : address}`,
    `  -H "Authorization: Bearer ${key ?? KEY_VARIABLE}"`,
  ];
  if (call.body !== undefined) {
    const body = JSON.stringify(call.body, null, 2).replaceAll('\n', '\n  ');
    lines.push(`  -H "Content-Type: application/json"`, `  -d ${quote(body)}`);
  }
  if (call.output !== undefined) lines.push(`  -o ${quote(call.output)}`);
  return lines.join(' \\\n');
}
