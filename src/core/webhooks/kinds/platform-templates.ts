/** The default templates of chat kinds: the texts of summaries.ts in the format of each platform. */
import type { EventType } from '../../vocabulary/event-catalog.ts';
import type { EventTypes } from '../../events/event-type.service.ts';
import { getSummary, type Summary } from './summaries.ts';
import type { ChatKind } from './webhook-kinds.ts';

const START = '{%- assign object = event.data.object -%}';
const MAX_VALUE = 300;

const value = (expression: string): string =>
  `{{ ${expression} | default: "–" | append: "" | truncate: ${MAX_VALUE} }}`;
const quoted = (text: string): string => JSON.stringify(text);

function slack({ title, text, fields }: Summary): string {
  const facts = fields.map(
    ([label, expression]) => `        {"type": "mrkdwn", "text": "*${label}*\\n${value(expression)}"}`,
  );
  return `{
  "text": "${title}: ${text}",
  "blocks": [
    {"type": "section", "text": {"type": "mrkdwn", "text": "*${title}*\\n${text}"}},${
      facts.length
        ? `
    {
      "type": "section",
      "fields": [
${facts.join(',\n')}
      ]
    },`
        : ''
    }
    {
      "type": "context",
      "elements": [{"type": "mrkdwn", "text": "<{{ console_url }}|Open in Fairlead> · {{ event.created_at | date: "%Y-%m-%d %H:%M UTC" }}"}]
    }
  ]
}`;
}

const COLORS: Record<Summary['mood'], number> = { good: 0x2f9e44, bad: 0xe03131, plain: 0x4263eb };

function discord({ title, text, fields, mood }: Summary): string {
  const facts = fields.map(
    ([label, expression]) =>
      `        {"name": ${quoted(label)}, "value": "${value(expression)}", "inline": true}`,
  );
  return `{
  "content": "",
  "embeds": [
    {
      "title": ${quoted(title)},
      "url": {{ console_url | raw }},
      "description": "${text}",
      "color": ${COLORS[mood]},
      "timestamp": {{ event.created_at | raw }},
      "fields": [
${facts.join(',\n')}
      ],
      "footer": {"text": "Fairlead · {{ event.type }}"}
    }
  ],
  "allowed_mentions": {"parse": []}
}`;
}

const STYLES: Record<Summary['mood'], string> = { good: 'good', bad: 'attention', plain: 'default' };

function teams({ title, text, fields, mood }: Summary): string {
  const facts = fields.map(
    ([label, expression]) => `              {"title": ${quoted(label)}, "value": "${value(expression)}"}`,
  );
  return `{
  "type": "message",
  "attachments": [
    {
      "contentType": "application/vnd.microsoft.card.adaptive",
      "contentUrl": null,
      "content": {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": [
          {"type": "TextBlock", "text": ${quoted(title)}, "weight": "Bolder", "size": "Medium", "color": "${STYLES[mood]}", "wrap": true},
          {"type": "TextBlock", "text": "${text}", "wrap": true}${
            facts.length
              ? `,
          {
            "type": "FactSet",
            "facts": [
${facts.join(',\n')}
            ]
          }`
              : ''
          },
          {"type": "TextBlock", "text": "{{ event.created_at | date: "%Y-%m-%d %H:%M UTC" }}", "isSubtle": true, "size": "Small", "wrap": true}
        ],
        "actions": [{"type": "Action.OpenUrl", "title": "Open in Fairlead", "url": {{ console_url | raw }}}]
      }
    }
  ]
}`;
}

const MAKERS: Record<ChatKind, (summary: Summary) => string> = { slack, discord, teams };

const made = new Map<string, string>();

/** Returns the default Liquid template for the body of an event type. */
export function defaultTemplate(eventTypes: EventTypes, kind: ChatKind, type: EventType): string {
  const name = `${kind} ${type}`;
  let source = made.get(name);
  if (source === undefined) {
    const summary = getSummary(eventTypes, type);
    source = `${START}${summary.prelude ?? ''}\n${MAKERS[kind](summary)}\n`;
    made.set(name, source);
  }
  return source;
}
