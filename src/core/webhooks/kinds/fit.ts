/**
 * Fits bodies into the limits of platforms, which respond 400 beyond them, so that the event would never arrive. Texts
 * are truncated; excess blocks, embeds and fields are dropped. Sources:
 * https://docs.slack.dev/reference/block-kit/blocks,
 * https://discord.com/developers/docs/resources/message#embed-object-embed-limits,
 * https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using (28 KB).
 */
import { parseForeignJson } from '../../../platform/json/foreign-json.ts';
import { RENDERED_BOUNDS } from '../../../platform/templates/templates.ts';
import type { ChatKind } from './webhook-kinds.ts';

type Json = Record<string, unknown>;

const SLACK_TEXT = 3000;
const SLACK_FIELD = 2000;
const SLACK_HEADER = 150;
const SLACK_BLOCKS = 50;
const SLACK_ITEMS = 10;
const SLACK_MESSAGE = 40_000;
const DISCORD = {
  content: 2000,
  title: 256,
  description: 4096,
  name: 256,
  value: 1024,
  footer: 2048,
  author: 256,
};
const DISCORD_EMBEDS = 10;
const DISCORD_FIELDS = 25;
const DISCORD_TOTAL = 6000;
const TEAMS_BYTES = 28 * 1024;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const objects = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** Cut so that no escape, and in Slack no link, is left half. */
function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = text
    .slice(0, max - 1)
    .replace(/[\uD800-\uDBFF]$/, '')
    .replace(/&[a-z#0-9]{0,5}$/, '')
    .replace(/<[^>]*$/, '')
    .replace(/(?<!\\)((?:\\\\)*)\\$/, '$1');
  return `${cut}…`;
}

function cutMember(of: Json, name: string, max: number): void {
  const text = of[name];
  if (typeof text === 'string') of[name] = cutText(text, max);
}

function fitSlackText(of: unknown, max: number): void {
  if (isObject(of)) cutMember(of, 'text', max);
}

function fitSlack(body: Json): void {
  cutMember(body, 'text', SLACK_MESSAGE);
  if (!Array.isArray(body.blocks)) return;
  body.blocks = body.blocks.slice(0, SLACK_BLOCKS);
  for (const block of objects(body.blocks)) {
    fitSlackText(block.text, block.type === 'header' ? SLACK_HEADER : SLACK_TEXT);
    for (const name of ['fields', 'elements']) {
      if (!Array.isArray(block[name])) continue;
      if (block.type === 'section' || block.type === 'context')
        block[name] = block[name].slice(0, SLACK_ITEMS);
      for (const item of objects(block[name])) cutMember(item, 'text', SLACK_FIELD);
    }
  }
}

function fitDiscord(body: Json): void {
  // Mentions are disabled unless the template itself allows them.
  body.allowed_mentions ??= { parse: [] };
  cutMember(body, 'content', DISCORD.content);
  if (!Array.isArray(body.embeds)) return;
  body.embeds = body.embeds.slice(0, DISCORD_EMBEDS);
  let left = DISCORD_TOTAL;
  const fit = (of: unknown, name: string, max: number): void => {
    if (!isObject(of) || typeof of[name] !== 'string') return;
    of[name] = cutText(of[name], Math.max(1, Math.min(max, left)));
    left -= (of[name] as string).length;
  };
  for (const embed of objects(body.embeds)) {
    fit(embed, 'title', DISCORD.title);
    fit(embed.author, 'name', DISCORD.author);
    fit(embed.footer, 'text', DISCORD.footer);
    if (Array.isArray(embed.fields)) {
      embed.fields = embed.fields.slice(0, DISCORD_FIELDS);
      for (const field of objects(embed.fields)) {
        fit(field, 'name', DISCORD.name);
        fit(field, 'value', DISCORD.value);
      }
    }
    fit(embed, 'description', DISCORD.description);
  }
}

/** Texts of a card, longest first. */
function toTexts(value: unknown, found: { of: Json; name: string }[] = []): { of: Json; name: string }[] {
  if (Array.isArray(value)) for (const item of value) toTexts(item, found);
  else if (isObject(value))
    for (const [name, member] of Object.entries(value)) {
      if (typeof member === 'string' && (name === 'text' || name === 'value'))
        found.push({ of: value, name });
      else toTexts(member, found);
    }
  return found;
}

const toBytes = (body: Json): number => Buffer.byteLength(JSON.stringify(body));

function fitTeams(body: Json): void {
  for (let max = 8000; toBytes(body) > TEAMS_BYTES && max >= 125; max /= 2)
    for (const { of, name } of toTexts(body)) cutMember(of, name, max);
}

const FITTING: Record<ChatKind, (body: Json) => void> = {
  slack: fitSlack,
  discord: fitDiscord,
  teams: fitTeams,
};

/**
 * @param text JSON. @returns it, within the platform's limits
 * @throws Error where it is no JSON object, which no platform takes
 */
export function fitBody(kind: ChatKind, text: string): string {
  const body = parseForeignJson(text, RENDERED_BOUNDS);
  if (!isObject(body)) throw new Error('the body must be a JSON object');
  FITTING[kind](body);
  return JSON.stringify(body);
}
