/**
 * Classifies user agents. Results are cached by text. Whether an agent is a bot is determined immediately, the rest on
 * demand, because most redirects don't need it. User agents are untrusted: only 512 characters are parsed, and only
 * names from fixed lists are returned.
 */
import Bowser from 'bowser';
import { isbot } from 'isbot';
import { LRUCache } from 'lru-cache';
import { type Device, OPERATING_SYSTEMS } from '../records/redirection.ts';
import { isPreviewBot } from './preview-bots.ts';

/** Characters of a user agent that are used. */
const USER_AGENT_LENGTH = 512;
/** The cache holds up to twice as many agents of at most 512 characters: 4 MiB if an attacker chooses them. */
const MAX_CACHED = 8_192;

export interface UserAgent {
  /** Whether it claims to be a crawler, a monitor, a scanner or the like; true for preview bots too. */
  readonly isBot: boolean;
  /** Whether it fetches link previews: it is shown the link's social card. */
  readonly isPreview: boolean;
  readonly device: Device;
  /** One of OPERATING_SYSTEMS, or the lower-case name of another system; null if unknown. */
  readonly os: string | null;
  /** For example "Chrome", "Microsoft Edge" or "curl"; null if unknown. */
  readonly browser: string | null;
}

/**
 * HTTP clients that people use manually or that their apps are built with. They are not crawlers as such: a person who
 * tests a link with cURL gets redirected and sees the click.
 */
const HTTP_CLIENT =
  /^(aiohttp|autocannon|axios|bruno|curl|dart|deno|faraday|go-http-client|got|guzzlehttp|httpie|httpx|insomnia|java|k6|libwww-perl|node|node-fetch|okhttp|postmanruntime|python-requests|python-urllib|reqwest|undici|wget|xh)(?![\w-])/i;
/** Bots that identify themselves add this after the name of their HTTP client. */
const BOT_SUFFIX = /bot|crawl|spider|preview|scan|monitor|https?:/i;

/** Returns the lower-case name of the HTTP client, or null. */
const findHttpClient = (text: string): string | null =>
  BOT_SUFFIX.test(text) ? null : (HTTP_CLIENT.exec(text)?.[1]?.toLowerCase() ?? null);

interface Client {
  device: Device;
  os: string | null;
  browser: string | null;
}

const BROWSERS = new Set(Object.values(Bowser.BROWSER_MAP));
const SYSTEMS = new Map(
  Object.values(Bowser.OS_MAP).map((name) => {
    const plain = name.toLowerCase();
    const joined = plain.replaceAll(' ', '');
    return [name, (OPERATING_SYSTEMS as readonly string[]).includes(joined) ? joined : plain];
  }),
);

/** Meta's apps name the system in fields of their own, some of them nowhere else: `[FBAN/FB4A;FBDV/SM-G998B;FBSV/13;…]`. */
function parseMetaApp(userAgent: string): Pick<Client, 'device' | 'os'> | null {
  const fields = /\[(FB(?:AN|_IAB)\/[^\]]*)/.exec(userAgent)?.[1];
  if (fields === undefined) return null;
  const isTablet = /\biPad|tablet/i.test(fields);
  const os = /FBSN\/iOS|FBAN\/\w*iOS/i.test(fields)
    ? 'ios'
    : /FB4A|Android|FBPN\/com\.facebook|FBAN\/EMA/i.test(fields)
      ? 'android'
      : null;
  return os === null ? null : { device: isTablet ? 'tablet' : 'mobile', os };
}

function parseClient(userAgent: string): Client {
  if (userAgent === '') return { device: 'desktop', os: null, browser: null };
  const httpClient = findHttpClient(userAgent);
  if (httpClient !== null) return { device: 'desktop', os: null, browser: httpClient };
  const { platform, os, browser } = Bowser.parse(userAgent);
  const type = platform.type;
  const app = os.name === undefined ? parseMetaApp(userAgent) : null;
  return {
    device: app?.device ?? (type === 'mobile' || type === 'tablet' ? type : 'desktop'),
    os: app?.os ?? SYSTEMS.get(os.name ?? '') ?? null,
    // For unknown browsers, Bowser returns a word of the user agent.
    browser: browser.name !== undefined && BROWSERS.has(browser.name) ? browser.name : null,
  };
}

class ParsedUserAgent implements UserAgent {
  readonly isBot: boolean;
  readonly isPreview: boolean;
  readonly #text: string;
  #client: Client | null = null;

  constructor(text: string) {
    this.#text = text;
    this.isPreview = isPreviewBot(text);
    const isPerson = findHttpClient(text) !== null || text.startsWith('[FBAN/');
    this.isBot = this.isPreview || (isbot(text) && !isPerson);
  }

  get device(): Device {
    return (this.#client ??= parseClient(this.#text)).device;
  }
  get os(): string | null {
    return (this.#client ??= parseClient(this.#text)).os;
  }
  get browser(): string | null {
    return (this.#client ??= parseClient(this.#text)).browser;
  }
}

const cache = new LRUCache<string, UserAgent>({
  max: MAX_CACHED,
  memoMethod: (text) => new ParsedUserAgent(text),
});

/** Truncates a user agent. Copies the text, because a slice would keep the whole header in memory. */
export const shortAgent = (userAgent: string): string =>
  userAgent.length <= USER_AGENT_LENGTH
    ? userAgent
    : Buffer.from(userAgent.slice(0, USER_AGENT_LENGTH), 'utf16le').toString('utf16le');

/** Classifies a user agent. @param userAgent the header's value; '' if missing */
export const classify = (userAgent: string): UserAgent => cache.memo(shortAgent(userAgent));
