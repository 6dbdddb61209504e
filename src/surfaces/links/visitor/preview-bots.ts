/**
 * Who fetches a link to show what is behind it, before anybody clicked: messengers, social networks, chat servers.
 * iMessage pretends to be Safari on a Mac, with `facebookexternalhit` and `Twitterbot` at the end; Signal says that it
 * is WhatsApp. Names that apps put into the agent of their own browser too (Pinterest, Snapchat, WhatsApp, Viber) are
 * bound to the place where only the fetcher has them: whoever reads in an app is a person.
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
