import { expect, test } from 'vitest';
import type { Media } from '../../api/types.ts';
import { isPicture, kindLabel, mediaName } from './media-text.ts';

const media = (mime_type: string | null, state: Media['state'] = 'ready') =>
  ({ id: 'med_1', file_name: null, mime_type, state }) as Media;

test('shows only pictures that are ready and cannot contain scripts', () => {
  expect(isPicture(media('image/png'))).toBe(true);
  expect(isPicture(media('image/png', 'pending'))).toBe(false);
  expect(isPicture(media('image/svg+xml'))).toBe(false);
  expect(isPicture(media(null))).toBe(false);
});

test('names a file and its kind', () => {
  expect(mediaName(media('image/png'))).toBe('med_1');
  expect(mediaName({ ...media('image/png'), file_name: 'a.png' })).toBe('a.png');
  expect(kindLabel(media('video/mp4'))).toBe('Video');
  expect(kindLabel(media('application/pdf'))).toBe('Document');
  expect(kindLabel(media('font/woff2'))).toBe('font/woff2');
  expect(kindLabel(media(null))).toBe('–');
});
