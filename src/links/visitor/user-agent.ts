/**
 * What a user agent tells of a visitor. Read once for each text and remembered; whether it is a bot is read at once,
 * the rest only when somebody asks, as most redirects don't. An agent is an enemy's text: no more than 512 characters
 * are looked at, and nothing of it but names out of fixed lists is given on.
 */
import Bowser from 'bowser';
import { isbot } from 'isbot';
import { type Device, OPERATING_SYSTEMS } from '../redirect/route.ts';
import { isPreviewBot } from './preview-bots.ts';
import { remembered } from './remembered.ts';

/** Characters of an agent that count. */
const USER_AGENT_LENGTH = 512;
/** Twice as many are kept, of 512 characters at most: 4 MiB if an enemy chooses them. */
const REMEMBERED = 4_096;

export interface UserAgent {
  /** Whether a program asks and not a person; true for preview bots too, and where there is no agent at all. */
  readonly isBot: boolean;
  /** Whether it fetches to show a preview: it is shown the link's social card. */
  readonly isPreview: boolean;
  readonly device: Device;
  /** One of OPERATING_SYSTEMS, or the name of a rarer one in lower case; null where it is not known. */
  readonly os: string | null;
  /** As "Chrome" or "Microsoft Edge"; null where it is not known. */
  readonly browser: string | null;
}

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
    this.isBot = this.isPreview || text === '' || isbot(text);
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

const known = remembered(REMEMBERED, (text): UserAgent => new ReadUserAgent(text));

/** The part of an agent that counts, as its own text: a slice would keep the whole header in memory. */
export const shortAgent = (userAgent: string): string =>
  userAgent.length <= USER_AGENT_LENGTH
    ? userAgent
    : Buffer.from(userAgent.slice(0, USER_AGENT_LENGTH), 'utf16le').toString('utf16le');

/** @param userAgent the header's value; '' where there is none */
export const classify = (userAgent: string): UserAgent => known.get(shortAgent(userAgent));
