/**
 * Detects bots that fetch link previews: messengers, social networks, chat servers. iMessage pretends to be Safari on a
 * Mac, with `facebookexternalhit` and `Twitterbot` at the end; Signal claims to be WhatsApp. Names that also occur in
 * the user agents of in-app browsers (Pinterest, Snapchat, WhatsApp, Viber) are matched only in the position in which
 * bots have them, because visitors with in-app browsers are people.
 */
const PREVIEW_BOTS: readonly RegExp[] = [
  /Slackbot|Slack-ImgProxy/,
  /facebookexternalhit|facebookcatalog|Facebot|meta-externalfetcher/,
  /Twitterbot/,
  /Discordbot/,
  /^WhatsApp\//,
  /TelegramBot/,
  /LinkedInBot/,
  /SkypeUriPreview/,
  /Applebot/,
  /Mastodon\//,
  /Bluesky Cardyb/,
  /^Signal/,
  /^Viber\//,
  /Pinterestbot|^Pinterest\//,
  /redditbot/,
  /Snap URL Preview/,
  /vkShare/,
  /Google-PageRenderer|GoogleMessages/,
  /kakaotalk-scrap|line-poker/,
  /Iframely|Embedly/,
  /^Synapse\/|^Synapse \(|matrix-media-repo/,
  /Mattermost-Bot|Rocket\.Chat|ZulipURLPreview|Zulip URL/,
  /SummalyBot|^Misskey|^Pleroma|^Akkoma|^Friendica|^Lemmy/,
  /BingPreview|Yahoo Link Preview|MicrosoftPreview/,
  /XING-contenttabreceiver|Tumblr\/|Threadsbot/,
];

const ANY = new RegExp(PREVIEW_BOTS.map(({ source }) => source).join('|'), 'i');

export const isPreviewBot = (userAgent: string): boolean => ANY.test(userAgent);
