import { expect, test } from 'vitest';
import { classify, shortAgent } from './user-agent.ts';

const read = (text: string) => {
  const { isBot, isPreview, device, os, browser } = classify(text);
  return { isBot, isPreview, device, os, browser };
};
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)';
const WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)';

test.each([
  [`${WINDOWS} Chrome/120.0.0.0 Safari/537.36`, 'desktop', 'windows', 'Chrome'],
  [`${WINDOWS} Chrome/120.0.0.0 Safari/537.36 Edg/120.0.2210.91`, 'desktop', 'windows', 'Microsoft Edge'],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:121.0) Gecko/20100101 Firefox/121.0', 'desktop', 'linux', 'Firefox'],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.2 Safari/605.1.15',
    'desktop',
    'macos',
    'Safari',
  ],
  [
    'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36',
    'desktop',
    'chromeos',
    'Chrome',
  ],
  [
    '[FBAN/FB4A;FBAV/438.0.0.33.118;FBBV/529083166;FBDM/{density=2.75,width=1080,height=2176};FBLC/en_US;FBMF/samsung;FBPN/com.facebook.katana;FBDV/SM-G998B;FBSV/13;FBOP/1;FBCA/arm64-v8a:;]',
    'mobile',
    'android',
    null,
  ],
  ['[FBAN/FBIOS;FBAV/440.0.0.31.105;FBDV/iPad13,4;FBMD/iPad;FBSN/iPadOS;FBSV/17.1]', 'tablet', 'ios', null],
  [`${IPHONE} Version/17.1 Mobile/15E148 Safari/604.1`, 'mobile', 'ios', 'Safari'],
  [
    'Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.6 Mobile/15E148 Safari/604.1',
    'tablet',
    'ios',
    'Safari',
  ],
  [
    'Mozilla/5.0 (Linux; Android 14; SM-X710) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36',
    'tablet',
    'android',
    'Chrome',
  ],
  [
    'Mozilla/5.0 (Linux; Android 13; SM-G991B; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/119.0.6045.193 Mobile Safari/537.36 [FB_IAB/FB4A;FBAV/443.0.0.23.229;]',
    'mobile',
    'android',
    'Chrome',
  ],
])('a person: %s', (text, device, os, browser) =>
  expect(read(text)).toEqual({ isBot: false, isPreview: false, device, os, browser }),
);

test.each([
  `${IPHONE} Mobile/15E148 Instagram 312.0.0.22.114 (iPhone14,5; iOS 17_1; en_US)`,
  `${IPHONE} Mobile/21B101 [Pinterest/iOS]`,
  `${IPHONE} Mobile/15E148 Snapchat/12.68.0.21 (like Safari/8617.1.17.10.10, panda)`,
  `${IPHONE} Mobile/15E148 Twitter for iPhone/10.21`,
  `${IPHONE} Mobile/15E148 [LinkedInApp]/9.29.5438`,
  `${IPHONE} Mobile/15E148 [FBAN/FBIOS;FBAV/444.0.0.35.117;FBBV/542;FBDV/iPhone14,5]`,
])('who reads in an app is a person: %s', (text) =>
  expect(read(text)).toMatchObject({ isBot: false, isPreview: false, device: 'mobile', os: 'ios' }),
);

test.each([
  'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  'Twitterbot/1.0',
  'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
  'WhatsApp/2.23.20.0 A',
  'WhatsApp/2',
  'TelegramBot (like TwitterBot)',
  'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)',
  'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.1.1 Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)',
  'http.rb/5.1.1 (Mastodon/4.2.1; +https://mastodon.social/)',
  'Mastodon/4.3.2 (http.rb/5.2.0; +https://mastodon.social/) Bot',
  'Mozilla/5.0 (compatible; Bluesky Cardyb/1.1; +mailto:support@bsky.app)',
  'Pinterest/0.2 (+https://www.pinterest.com/bot.html)',
  'Synapse (bot; +https://github.com/matrix-org/synapse)',
  // iMessage.
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) Version/9.0.1 Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0',
])('a preview: %s', (text) => expect(read(text)).toMatchObject({ isBot: true, isPreview: true }));

test.each([
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/120.0.0.0 Safari/537.36',
  'Mozilla/5.0 (compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)',
  'python-requests/2.31.0 (my-crawler)',
  'Go-http-client/2.0 (+https://example.com/why)',
  'node-superfetch bot',
])('a bot that shows nothing to anybody: %j', (text) =>
  expect(read(text)).toMatchObject({ isBot: true, isPreview: false, device: 'desktop' }),
);

test.each([
  ['curl/8.5.0', 'curl'],
  ['python-requests/2.31.0', 'python-requests'],
  ['Go-http-client/2.0', 'go-http-client'],
  ['node', 'node'],
  ['Wget/1.21.4', 'wget'],
  ['', null],
])('what developers try links with is no bot: %j', (text, browser) =>
  expect(read(text)).toEqual({ isBot: false, isPreview: false, device: 'desktop', os: null, browser }),
);

test('nothing of an agent is given on but names that are known', () => {
  expect(read('Evil<script>/1.0 (Evil; OS)')).toMatchObject({ device: 'desktop', os: null, browser: null });
});

test('no more than 512 characters count, and the same text is read once', () => {
  const long = `${WINDOWS} Chrome/120.0.0.0 Safari/537.36 ${'x'.repeat(100_000)}`;
  expect(read(long)).toMatchObject({ isBot: false, os: 'windows' });
  expect(shortAgent(long)).toHaveLength(512);
  const short = `${WINDOWS} Chrome/120.0.0.0 Safari/537.36 `.padEnd(512, 'x');
  expect(read(`${short} Googlebot/2.1`).isBot).toBe(false);
  expect(read(`${short.slice(0, 490)} Googlebot/2.1`).isBot).toBe(true);
  expect(classify(long)).toBe(classify(`${long}y`));
  // Half a surrogate pair at the cut is no fault.
  expect(shortAgent(`${'x'.repeat(511)}😀`)).toHaveLength(512);
});
