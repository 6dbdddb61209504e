/**
 * What a user agent tells of a visitor. Read once for each text and remembered; whether it is a bot is read at once,
 * the rest only when somebody asks, as most redirects don't. An agent is an enemy's text: no more than 512 characters
 * are looked at, and nothing of it but names out of fixed lists is given on.
 */
import Bowser from 'bowser';
import { isbot } from 'isbot';
import { LRUCache } from 'lru-cache';
import { type Device, OPERATING_SYSTEMS } from '../redirect/route.ts';
import { isPreviewBot } from './preview-bots.ts';

/** Characters of an agent that count. */
const USER_AGENT_LENGTH = 512;
/** Twice as many are kept, of 512 characters at most: 4 MiB if an enemy chooses them. */
const MAX_CACHED = 8_192;

export interface UserAgent {
  /** Whether it says to be a crawler, a monitor, a scanner and the like; true for preview bots too. */
  readonly isBot: boolean;
  /** Whether it fetches to show a preview: it is shown the link's social card. */
  readonly isPreview: boolean;
  readonly device: Device;
  /** One of OPERATING_SYSTEMS, or the name of a rarer one in lower case; null where it is not known. */
  readonly os: string | null;
  /** As "Chrome", "Microsoft Edge" or "curl"; null where it is not known. */
  readonly browser: string | null;
}

/**
 * What people call addresses with by hand, and what apps of theirs are built of. That is no crawler by itself: who tries
 * a link with cURL sees the target, and finds the click.
 */
const HTTP_CLIENT =
  /^(aiohttp|autocannon|axios|bruno|curl|dart|deno|faraday|go-http-client|got|guzzlehttp|httpie|httpx|insomnia|java|k6|libwww-perl|node|node-fetch|okhttp|postmanruntime|python-requests|python-urllib|reqwest|undici|wget|xh)(?![\w-])/i;
/** Who wants to be known says so behind the name of what it is built of. */
const SAYS_MORE = /bot|crawl|spider|preview|scan|monitor|https?:/i;

/** The name of the client that an agent is, in lower case, or null. */
const httpClientOf = (text: string): string | null =>
  SAYS_MORE.test(text) ? null : (HTTP_CLIENT.exec(text)?.[1]?.toLowerCase() ?? null);

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

function clientOf(userAgent: string): Client {
  if (userAgent === '') return { device: 'desktop', os: null, browser: null };
  const httpClient = httpClientOf(userAgent);
  if (httpClient !== null) return { device: 'desktop', os: null, browser: httpClient };
  const { platform, os, browser } = Bowser.parse(userAgent);
  const type = platform.type;
  return {
    device: type === 'mobile' || type === 'tablet' ? type : 'desktop',
    os: SYSTEMS.get(os.name ?? '') ?? null,
    // Where Bowser knows none it takes a word of the agent.
    browser: browser.name !== undefined && BROWSERS.has(browser.name) ? browser.name : null,
  };
}

class ReadUserAgent implements UserAgent {
  readonly isBot: boolean;
  readonly isPreview: boolean;
  readonly #text: string;
  #client: Client | null = null;

  constructor(text: string) {
    this.#text = text;
    this.isPreview = isPreviewBot(text);
    this.isBot = this.isPreview || (isbot(text) && httpClientOf(text) === null);
  }

  get device(): Device {
    return (this.#client ??= clientOf(this.#text)).device;
  }
  get os(): string | null {
    return (this.#client ??= clientOf(this.#text)).os;
  }
  get browser(): string | null {
    return (this.#client ??= clientOf(this.#text)).browser;
  }
}

const cache = new LRUCache<string, UserAgent>({
  max: MAX_CACHED,
  memoMethod: (text) => new ReadUserAgent(text),
});

/** The part of an agent that counts, as its own text: a slice would keep the whole header in memory. */
export const shortAgent = (userAgent: string): string =>
  userAgent.length <= USER_AGENT_LENGTH
    ? userAgent
    : Buffer.from(userAgent.slice(0, USER_AGENT_LENGTH), 'utf16le').toString('utf16le');

/** @param userAgent the header's value; '' where there is none */
export const classify = (userAgent: string): UserAgent => cache.memo(shortAgent(userAgent));
