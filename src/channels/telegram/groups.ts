/**
 * Groups as bots see them: they can't create or join one, or add people, and Telegram lists only administrators to
 * them. Other members are known once they write, join or leave.
 */
import type { ChatFullInfo, ChatPermissions } from '@grammyjs/types';
import type {
  GroupCalls,
  GroupInfo,
  GroupSettings,
  ParticipantAction,
  ParticipantOutcome,
  ReceivedFile,
} from '../contract/connection.ts';
import { DriverError } from '../contract/driver-error.ts';
import type { BotApi, CallOptions } from './bot-api.ts';
import { type FileRef } from './content.ts';
import { readMember } from './people.ts';
import { type CallChat, unless } from './send.ts';
import { list, object, text, type Untrusted } from './untrusted.ts';

export interface GroupDeps {
  api: BotApi;
  callChat: CallChat;
  /** Stores a file; null if Telegram does not give it out. */
  receive(file: FileRef, signal: AbortSignal): Promise<ReceivedFile | null>;
}

const MAX_ADMINS = 200;
const MAX_DESCRIPTION = 4096;
const MAX_PICTURE = 10_000_000;

/** Rights of administrators whom the bot promotes. */
const RIGHTS = {
  can_change_info: true,
  can_delete_messages: true,
  can_invite_users: true,
  can_restrict_members: true,
  can_pin_messages: true,
} as const;
const NO_RIGHTS = Object.fromEntries(Object.keys(RIGHTS).map((name) => [name, false])) as Record<
  keyof typeof RIGHTS,
  boolean
>;

const PERMISSIONS = [
  'can_send_messages',
  'can_send_audios',
  'can_send_documents',
  'can_send_photos',
  'can_send_videos',
  'can_send_video_notes',
  'can_send_voice_notes',
  'can_send_polls',
  'can_send_other_messages',
  'can_add_web_page_previews',
  'can_change_info',
  'can_invite_users',
  'can_pin_messages',
  'can_manage_topics',
] as const satisfies (keyof ChatPermissions)[];
const SENDING = PERMISSIONS.filter((name) => name.startsWith('can_send'));

const getPermissions = (chat: Untrusted<ChatFullInfo>): Record<(typeof PERMISSIONS)[number], boolean> => {
  const given = object<ChatPermissions>(chat.permissions) ?? {};
  return Object.fromEntries(PERMISSIONS.map((name) => [name, given[name] === true])) as never;
};

const getSettings = (chat: Untrusted<ChatFullInfo>): GroupSettings => {
  const permissions = getPermissions(chat);
  return {
    announceOnly: chat.permissions !== undefined && !permissions.can_send_messages,
    locked: chat.permissions !== undefined && !permissions.can_change_info,
    // Not something that bots can change, or see in all cases.
    membersOnly: false,
  };
};

export function createGroupCalls({ api, callChat, receive }: GroupDeps): GroupCalls {
  const readChat = async (chatId: number, options: CallOptions): Promise<Untrusted<ChatFullInfo>> => {
    const chat = object<ChatFullInfo>(await api.call('getChat', { chat_id: chatId }, options));
    if (!chat) throw new DriverError('lost', 'invalid_answer', 'Telegram: the response is not a chat.');
    return chat;
  };

  const getPicture = async (
    chat: Untrusted<ChatFullInfo>,
    signal: AbortSignal,
  ): Promise<GroupInfo['picture']> => {
    const photo = object<{ big_file_id: string }>(chat.photo);
    const id = text(photo?.big_file_id, 500);
    if (id === null) return null;
    const received = await receive({ id, size: null, fileName: null, mimeType: 'image/jpeg' }, signal);
    return received && { received };
  };

  const get: GroupCalls['get'] = (key, signal) =>
    callChat(key, async ({ chatId }) => {
      const chat = await readChat(chatId, { signal });
      const admins = await api.call('getChatAdministrators', { chat_id: chatId }, { signal });
      const members = list(admins, MAX_ADMINS).flatMap((one) => readMember(one) ?? []);
      return {
        key,
        address: key,
        subject: text(chat.title, 255) ?? '',
        description: text(chat.description, MAX_DESCRIPTION),
        settings: getSettings(chat),
        inviteUrl: text(chat.invite_link, 500),
        picture: await getPicture(chat, signal),
        participants: members.flatMap(({ person, role }) =>
          role === null ? [] : [{ address: person.address, role, name: person.name }],
        ),
        isPartial: true,
      };
    });

  const setPermissions = async (
    chatId: number,
    { announceOnly, locked }: Partial<GroupSettings>,
    options: CallOptions,
  ): Promise<void> => {
    const permissions = getPermissions(await readChat(chatId, options));
    if (announceOnly !== undefined) for (const name of SENDING) permissions[name] = !announceOnly;
    if (locked !== undefined) permissions.can_change_info = !locked;
    const params = { chat_id: chatId, permissions, use_independent_chat_permissions: true };
    await unless('not_modified', api.call('setChatPermissions', params, options));
  };

  const change = (action: ParticipantAction, chatId: number, userId: number, options: CallOptions) => {
    const place = { chat_id: chatId, user_id: userId };
    switch (action) {
      case 'promote':
        return api.call('promoteChatMember', { ...place, ...RIGHTS }, options);
      case 'demote':
        return api.call('promoteChatMember', { ...place, ...NO_RIGHTS }, options);
      case 'ban':
        return api.call('banChatMember', place, options);
      case 'unban':
        return api.call('unbanChatMember', { ...place, only_if_banned: true }, options);
      case 'remove':
        // An unbanned person is no longer in the group, and may join again.
        return api
          .call('banChatMember', place, options)
          .then(() => api.call('unbanChatMember', { ...place, only_if_banned: true }, options));
      default:
        throw new DriverError('rejected', 'not_allowed', 'Bots cannot add members to groups.');
    }
  };

  return {
    get,
    update: (key, { subject, description, settings, picture }, signal) =>
      callChat(key, async ({ chatId }) => {
        const place = { chat_id: chatId };
        const options = { signal };
        if (subject !== undefined)
          await unless('not_modified', api.call('setChatTitle', { ...place, title: subject }, options));
        if (description !== undefined) {
          const params = { ...place, description: description ?? '' };
          await unless('not_modified', api.call('setChatDescription', params, options));
        }
        if (settings) await setPermissions(chatId, settings, options);
        if (picture === null) await unless('not_modified', api.call('deleteChatPhoto', place, options));
        if (picture) {
          if (picture.size > MAX_PICTURE)
            throw new DriverError('rejected', 'too_large', `A picture has at most ${MAX_PICTURE} bytes.`);
          await api.upload('setChatPhoto', place, 'photo', picture, signal);
        }
      }),
    changeParticipants: (key, action, addresses, signal) =>
      callChat(key, async ({ chatId }) => {
        const outcomes: ParticipantOutcome[] = [];
        for (const address of addresses) {
          const outcome = await Promise.resolve(change(action, chatId, Number(address), { signal })).then(
            () => null,
            (error: unknown) => {
              if (!(error instanceof DriverError) || error.kind !== 'rejected') throw error;
              return { code: error.code, detail: error.message };
            },
          );
          outcomes.push({ address, error: outcome });
        }
        return outcomes;
      }),
    revokeInvite: (key, signal) =>
      callChat(key, async ({ chatId }) =>
        text(await api.call('exportChatInviteLink', { chat_id: chatId }, { signal }), 500),
      ),
    leave: (key, signal) =>
      callChat(key, ({ chatId }) =>
        unless('not_in_group', api.call('leaveChat', { chat_id: chatId }, { signal })),
      ),
  };
}
