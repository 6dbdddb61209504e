/** What the search shortcut is called on this machine. */
export const SEARCH_HOTKEY = /mac|iphone|ipad/i.test(navigator.userAgent) ? '⌘ K' : 'Ctrl K';
