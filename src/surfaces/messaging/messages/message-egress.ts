/** Checks URLs of files from callers before any transaction begins. */
import { Problem } from '../../../platform/http/problem.ts';
import { isMediaType } from '../../../channels/contract/capabilities.ts';

type AssertUrlAllowed = (url: string, pointer: string) => Promise<void>;

/** Concurrent lookups. */
const AT_ONCE = 16;

/** Returns the URL in a message's content, even if the message is otherwise invalid. */
function getUrl(body: unknown): { url: string; pointer: string } | null {
  const { type } = (body ?? {}) as { type?: unknown };
  if (typeof type !== 'string' || !isMediaType(type)) return null;
  const content = (body as Record<string, unknown>)[type] as { url?: unknown } | null | undefined;
  return typeof content?.url === 'string' ? { url: content.url, pointer: `/${type}/url` } : null;
}

/** @throws Problem address_not_allowed */
export async function assertMessageUrlAllowed(check: AssertUrlAllowed, body: unknown): Promise<void> {
  const given = getUrl(body);
  if (given) await check(given.url, given.pointer);
}

/** Returns by index why a URL is rejected. Each URL is looked up once. */
export async function findRejectedUrls(
  check: AssertUrlAllowed,
  items: readonly unknown[],
): Promise<Map<number, Problem>> {
  const named = items.flatMap((item, index) => {
    const given = getUrl(item);
    return given ? [{ index, ...given }] : [];
  });
  const refused = new Map<number, Problem>();
  const groups = [...Map.groupBy(named, ({ url, pointer }) => `${pointer} ${url}`).values()];
  for (let from = 0; from < groups.length; from += AT_ONCE)
    await Promise.all(
      groups.slice(from, from + AT_ONCE).map(async (group) => {
        const { url, pointer } = group[0]!;
        await check(url, pointer).catch((error: unknown) => {
          if (!(error instanceof Problem)) throw error;
          for (const { index } of group) refused.set(index, error);
        });
      }),
    );
  return refused;
}
